import { Button, Group, Menu, Modal, Progress, Stack, Text } from '@mantine/core';
import { Fragment, useEffect, useRef, useState } from 'react';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { formatBytes, plural } from '../../parts/words/format.ts';
import { DownloadIcon } from '../../parts/icons.tsx';
import { notifyDone } from '../../parts/action/notify.ts';
import { EXPORTS, type ExportKind, exportOrders } from './export-orders.ts';
import type { OrderFilters } from './order-query.ts';

interface Export {
  kind: ExportKind;
  bytes: number;
  error?: unknown;
}

/** Saves what the list shows, all pages of it, as a file that the service makes. */
export function ExportButton({ filters, total }: { filters: OrderFilters; total: number | undefined }) {
  const [current, setCurrent] = useState<Export>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const start = async (kind: ExportKind): Promise<void> => {
    const controller = new AbortController();
    stop.current = controller;
    setCurrent({ kind, bytes: 0 });
    // An export has an order of its own.
    const { sort: _, ...wanted } = filters;
    try {
      const query = { ...wanted, format: kind.format, rows: kind.rows };
      const file = await exportOrders(query, (bytes) => setCurrent({ kind, bytes }), controller.signal);
      save(file, `${kind.name}-${new Date().toISOString().slice(0, 10)}.${kind.format}`);
      notifyDone('The file is ready: see the downloads of the browser.');
      setCurrent(undefined);
    } catch (error) {
      if (!controller.signal.aborted) setCurrent({ kind, bytes: 0, error });
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
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{plural(total ?? 0, 'order')}, as filtered, oldest first</Menu.Label>
          {EXPORTS.map(({ title, kinds }) => (
            <Fragment key={title}>
              <Menu.Divider />
              <Menu.Label>{title}</Menu.Label>
              {kinds.map((kind) => (
                <Menu.Item key={kind.label} aria-label={`${kind.label}, ${kind.format}`} onClick={() => void start(kind)}>
                  {kind.label}
                </Menu.Item>
              ))}
            </Fragment>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={current !== undefined} onClose={close} title="Export orders" centered closeOnClickOutside={false}>
        {current && (
          <Stack>
            {current.error === undefined ? (
              <>
                <Progress value={100} animated aria-label="The export is under way" />
                <Text size="sm" role="status" className="number">
                  {formatBytes(current.bytes)} so far, of {plural(total ?? 0, 'order')}. Keep this page open until it is done.
                </Text>
              </>
            ) : (
              <ErrorState error={current.error} title="The export stopped, and no file was saved" retry={() => void start(current.kind)} />
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
