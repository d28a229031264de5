import { Center, type MantineColorScheme, SegmentedControl, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { type IconType, MoonIcon, SunIcon, SystemIcon } from '../parts/icons.tsx';

const SCHEMES: readonly { value: MantineColorScheme; label: string; icon: IconType }[] = [
  { value: 'light', label: 'Light', icon: SunIcon },
  { value: 'auto', label: 'System', icon: SystemIcon },
  { value: 'dark', label: 'Dark', icon: MoonIcon },
];

/** Light, dark, or as the system has it. The browser remembers it. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label="Colour scheme"
      size="xs"
      fullWidth
      value={colorScheme}
      onChange={setColorScheme}
      data={SCHEMES.map(({ value, label, icon: Icon }) => ({
        value,
        label: (
          <Center title={label}>
            <Icon size={16} />
            <VisuallyHidden>{label}</VisuallyHidden>
          </Center>
        ),
      }))}
    />
  );
}
