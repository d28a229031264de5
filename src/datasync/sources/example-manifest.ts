/** A whole manifest, so that who sends the example of the document is answered what the document says. */
export const EXAMPLE_MANIFEST = `version: 6.0.0
type: DeclarativeSource
check: { type: CheckStream, stream_names: [customers] }
definitions:
  requester:
    type: HttpRequester
    url_base: https://api.example.com
    authenticator: { type: BearerAuthenticator, api_token: "{{ config['api_key'] }}" }
streams:
  - type: DeclarativeStream
    name: customers
    primary_key: id
    schema_loader: { type: InlineSchemaLoader, schema: { type: object, properties: { id: { type: integer } } } }
    retriever:
      type: SimpleRetriever
      requester: { $ref: "#/definitions/requester", path: /customers }
      record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [data] } }
  - type: DeclarativeStream
    name: reports
    schema_loader: { type: InlineSchemaLoader, schema: { type: object, properties: { id: { type: integer } } } }
    retriever:
      type: SimpleRetriever
      requester: { $ref: "#/definitions/requester", path: /reports }
      record_selector:
        type: RecordSelector
        extractor: { type: CustomRecordExtractor, class_name: source_shop.components.ReportExtractor }
spec:
  type: Spec
  connection_specification:
    type: object
    required: [api_key]
    properties: { api_key: { type: string, title: API key, airbyte_secret: true } }
`;
