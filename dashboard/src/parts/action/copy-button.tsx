import { Button, type ButtonProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { CheckIcon, CopyIcon } from '../icons.tsx';

const SHOWN_FOR = 3000;

interface CopyButtonProps extends ButtonProps {
  text: string;
  /** Tells whether it worked, besides what the button itself shows. */
  onCopied?: (worked: boolean) => void;
}

/** Puts a text into the clipboard, and says for a moment that it is there, or that it is not. */
export function CopyButton({ text, onCopied, ...button }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    const worked = await copyText(text);
    setOutcome(worked ? 'copied' : 'failed');
    onCopied?.(worked);
  };
  const label = { copied: 'Copied', failed: 'Select it to copy' };
  return (
    <Button leftSection={outcome === 'copied' ? <CheckIcon size={14} /> : <CopyIcon size={14} />} onClick={() => void copy()} {...button}>
      {outcome ? label[outcome] : 'Copy'}
    </Button>
  );
}
