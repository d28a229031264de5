import { Kbd, UnstyledButton } from '@mantine/core';
import { SearchIcon } from '../parts/icons.tsx';
import { openPalette } from './shortcut-keys.tsx';

/** The finder for those who do not know its key yet. */
export function FindButton() {
  return (
    <UnstyledButton className="find-button" onClick={openPalette} aria-keyshortcuts="Control+K Meta+K">
      <SearchIcon size={16} />
      <span>Find anything</span>
      <Kbd size="xs">Ctrl K</Kbd>
    </UnstyledButton>
  );
}
