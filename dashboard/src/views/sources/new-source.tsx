import { Anchor } from '@mantine/core';
import { LISTS } from '../../lists.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { ConnectorChoice } from './connector-choice.tsx';
import { useConnectors } from './connectors.ts';
import { SourceForm } from './source-form.tsx';

/** First what kind of system it is, then what its connector needs. */
export function NewSource() {
  const connectors = useConnectors();
  const [type, setType] = useFilter('type');
  const chosen = connectors.byType.get(type);
  return (
    <>
      <PageHeader
        title="Add a source"
        parent={LISTS.sources}
        about={
          chosen ? (
            <>
              Fill in what the connector needs and test it before saving.{' '}
              <Anchor component="button" type="button" size="sm" onClick={() => setType('')}>
                Choose another type
              </Anchor>
            </>
          ) : (
            'What type of system is it?'
          )
        }
      />
      <Loaded query={connectors}>
        {({ data }) =>
          chosen ? (
            <SourceForm key={type} connector={chosen} />
          ) : (
            <ConnectorChoice connectors={data} cols={{ base: 1, sm: 2, lg: 3 }} onChoose={setType} />
          )
        }
      </Loaded>
    </>
  );
}
