import { useParams } from 'wouter';
import { useApi } from '../../api/queries.ts';
import { LISTS } from '../../lists.ts';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { useConnectors } from './connectors.ts';
import { SourceForm } from './source-form.tsx';

/** Changes a source: what is stored, with its secrets as masks. */
export function EditSource() {
  const { id = '' } = useParams();
  const source = useApi('GET /api/v1/datasync/sources/{id}', { params: { id } });
  const connectors = useConnectors();
  return (
    <LoadedPage query={source} list={LISTS.sources} isForm>
      {({ data }) => (
        <>
          <PageHeader
            title={`Edit ${data.name}`}
            parent={{ label: visible(data.name), href: `/sources/${id}` }}
            about="Secrets that are stored are kept unless you enter others. Test it before saving."
          />
          <Loaded query={connectors}>
            {() => {
              const connector = connectors.byType.get(data.type);
              return connector ? (
                <SourceForm key={data.id} connector={connector} source={data} />
              ) : (
                <ErrorState error={new Error(`This Syncline has no connector "${data.type}". It can be changed by the API only.`)} />
              );
            }}
          </Loaded>
        </>
      )}
    </LoadedPage>
  );
}
