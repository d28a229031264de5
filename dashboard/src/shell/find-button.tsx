import { Kbd, UnstyledButton } from '@mantine/core';
import { SearchIcon } from '../parts/icons.tsx';
import { openPalette } from './shortcut-keys.tsx';

const KEYS = navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K';

/** The finder for those who do not know its key yet. */
export function FindButton() {
  return (
    <UnstyledButton className="find-button" onClick={openPalette} aria-keyshortcuts="Control+K Meta+K">
      <SearchIcon size={16} />
      <span>Find anything</span>
      <Kbd size="xs" visibleFrom="sm">
        {KEYS}
      </Kbd>
    </UnstyledButton>
  );
}
