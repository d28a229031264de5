import { Center, type MantineColorScheme, SegmentedControl, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { startTransition, useOptimistic } from 'react';
import { type IconType, MoonIcon, SunIcon, SystemIcon } from '../parts/icons.tsx';

const SCHEMES: readonly { value: MantineColorScheme; label: string; icon: IconType }[] = [
  { value: 'light', label: 'Light', icon: SunIcon },
  { value: 'auto', label: 'System', icon: SystemIcon },
  { value: 'dark', label: 'Dark', icon: MoonIcon },
];

/** Light, dark, or as the system has it. The browser remembers it. */
export function ThemeSwitch() {
  // With transitions kept: to switch them off and on again, all styles of the page were computed three times.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const [shown, show] = useOptimistic(colorScheme);
  // The colours change at once. Telling every part of the page takes longer, and nothing of it is seen: it waits until that is painted.
  const choose = (scheme: MantineColorScheme): void =>
    startTransition(() => {
      show(scheme);
      setColorScheme(scheme);
    });
  return (
    <SegmentedControl
      aria-label="Colour scheme"
      size="xs"
      fullWidth
      value={shown}
      onChange={choose}
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
