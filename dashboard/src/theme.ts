import { createTheme, type CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  // Drawers and dialogs are there at once for those who want nothing to move; main.css sees to the rest.
  respectReducedMotion: true,
  primaryColor: 'indigo',
  // Dark enough for white text on it.
  primaryShade: { light: 7, dark: 7 },
  colors: {
    // Of the same hue as our surfaces; Mantine's own greys look brown beside them.
    dark: ['#c3c7cd', '#aab0b8', '#8b929b', '#5d646d', '#3b4149', '#31363d', '#282c32', '#1d2024', '#181a1e', '#111315'],
  },
  defaultRadius: 'md',
  // It ships with the page (typeface.css). What it has no letters for comes in the typeface of the system.
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  // Steps of type: 12, 13.5, 15, 16, 20 and 26 pixels.
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.45', sm: '1.5', md: '1.55', lg: '1.5', xl: '1.35' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    // Within text a colour alone does not make a link.
    Anchor: { defaultProps: { underline: 'always' } },
    // The colours of titles are too pale for text; the border and the icon say it too.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'sm' } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
});

/** Mantine's secondary colours are paler than the guidelines allow for small text: 4.5 to 1 at least. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f7f9',
    '--mantine-color-dimmed': '#565d66',
    '--mantine-color-placeholder': '#6b727b',
    '--mantine-color-error': '#b3261e',
    '--syncline-surface': '#ffffff',
    '--syncline-border': '#dfe3e8',
    '--syncline-pointed': 'rgb(16 24 40 / 5%)',
  },
  dark: {
    '--mantine-color-body': '#15171a',
    '--mantine-color-dimmed': '#a3a9b1',
    '--mantine-color-placeholder': '#8f959d',
    '--mantine-color-error': '#ff9c94',
    '--syncline-surface': '#1d2024',
    '--syncline-border': '#33383f',
    '--syncline-pointed': 'rgb(255 255 255 / 6%)',
  },
});
