type Map = Readonly<Record<string, unknown>>;

/** Why the pages of a retriever cannot be made smaller on the way, though the manifest wants it; undefined when they can. */
export function reductionFault(retriever: Map): string | undefined {
  if (!mapAt(retriever, 'page_size_reduction')) return undefined;
  const paginator = mapAt(retriever, 'paginator');
  const strategy = mapAt(paginator, 'pagination_strategy');
  const size = strategy?.['page_size'];
  if (!mapAt(paginator, 'page_size_option') || size === undefined || size === null || size === '')
    return 'its pages are to become smaller, but have no size: `page_size` or `page_size_option` is missing';
  if (strategy?.['type'] === 'PageIncrement')
    return 'its pages are to become smaller, but are counted (PageIncrement): records between them would be left out';
  if (mapAt(paginator, 'page_token_option')?.['type'] === 'RequestPath')
    return 'its pages are to become smaller, but the API makes their addresses, which have the size in them';
  return undefined;
}

function mapAt(value: Map | undefined, name: string): Map | undefined {
  const member = value?.[name];
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? (member as Map) : undefined;
}
