import { Button, Group, Menu, Modal, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { formatCount, plural } from '../../parts/words/format.ts';
import { DownloadIcon } from '../../parts/icons.tsx';
import { notifyDone } from '../../parts/action/notify.ts';
import { EXPORTS, type ExportKind } from './export-columns.ts';
import { exportOrders } from './export-orders.ts';
import type { OrderFilters } from './order-query.ts';

interface Export {
  kind: ExportKind;
  done: number;
  total: number;
  error?: unknown;
}

/** Saves what the list shows, all pages of it, as a CSV file. */
export function ExportButton({ filters, total }: { filters: OrderFilters; total: number | undefined }) {
  const [current, setCurrent] = useState<Export>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const start = async (kind: ExportKind): Promise<void> => {
    const controller = new AbortController();
    stop.current = controller;
    setCurrent({ kind, done: 0, total: total ?? 0 });
    try {
      const file = await exportOrders(kind, filters, (progress) => setCurrent({ kind, ...progress }), controller.signal);
      save(file, `${kind.name}-${new Date().toISOString().slice(0, 10)}.csv`);
      notifyDone('The file is ready: see the downloads of the browser.');
      setCurrent(undefined);
    } catch (error) {
      if (!controller.signal.aborted) setCurrent((last) => last && { ...last, error });
    }
  };
  const close = (): void => {
    stop.current?.abort();
    setCurrent(undefined);
  };

  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button variant="default" leftSection={<DownloadIcon size={16} />} disabled={!total}>
            Export CSV
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{plural(total ?? 0, 'order')}, as filtered</Menu.Label>
          {EXPORTS.map((kind) => (
            <Menu.Item key={kind.name} onClick={() => void start(kind)}>
              {kind.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={current !== undefined} onClose={close} title="Export orders" centered closeOnClickOutside={false}>
        {current && (
          <Stack>
            {current.error === undefined ? (
              <>
                <Progress value={current.total === 0 ? 100 : (100 * current.done) / current.total} aria-label="Orders that are exported" />
                <Text size="sm" role="status" className="number">
                  {formatCount(current.done)} of {plural(current.total, 'order')}. Keep this page open until it is done.
                </Text>
              </>
            ) : (
              <ErrorState error={current.error} title="The export stopped" retry={() => start(current.kind)} />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it on its own time; a minute is plenty to begin.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
