import { Anchor, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Connector, Source } from '../../../api/resources.ts';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { SideDrawer } from '../../../parts/page/side-drawer.tsx';
import { ConnectorChoice } from '../../sources/connector-choice.tsx';
import { useConnectors } from '../../sources/connectors.ts';
import { SourceForm } from '../../sources/source-form.tsx';

interface AddSourceProps {
  /** As what it is to be used: then only what can be that is offered. */
  end: 'source' | 'target';
  onAdded: (source: Source) => void;
  onClose: () => void;
}

/** A system is added beside the synchronization that needs it: nobody has to leave what is half done. */
export function AddSource({ end, onAdded, onClose }: AddSourceProps) {
  const connectors = useConnectors();
  const [type, setType] = useState('');
  const chosen = connectors.byType.get(type);
  const fits = ({ abilities: { read, write } }: Connector): boolean => (end === 'source' ? read : write.length > 0);
  return (
    <SideDrawer title={`Add a ${end}`} onClose={onClose}>
      <Loaded query={connectors}>
        {({ data }) => (
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {chosen ? 'Fill in what the connector needs and test it before saving. ' : 'What type of system is it?'}
              {chosen && (
                <Anchor component="button" type="button" size="sm" onClick={() => setType('')}>
                  Choose another type
                </Anchor>
              )}
            </Text>
            {chosen ? (
              <SourceForm key={type} connector={chosen} within={{ onSaved: onAdded, onCancel: onClose }} />
            ) : (
              <ConnectorChoice connectors={data.filter(fits)} cols={{ base: 1, sm: 2, lg: 2 }} onChoose={setType} />
            )}
          </Stack>
        )}
      </Loaded>
    </SideDrawer>
  );
}
