import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChartTemplates } from './helm-templates.ts';

const rendered = (text: string, root: unknown = {}): string => new ChartTemplates({ text }).render('text', root);

describe('the templates of a chart', () => {
  // By the rules of Go's templates and of Helm's functions; test/helm.test.ts compares whole documents where Helm is there.
  const cases: [template: string, root: unknown, expected: string][] = [
    ['a {{ .x.y }} b', { x: { y: 1 } }, 'a 1 b'],
    ['a\n  {{- .x }}\nb', { x: 'c' }, 'ac\nb'],
    ['a {{ .x -}}\n  b', { x: 'c' }, 'a cb'],
    ['{{ if .x }}yes{{ else }}no{{ end }}', { x: '' }, 'no'],
    ['{{ if .x }}yes{{ else }}no{{ end }}', { x: {} }, 'no'],
    ['{{ if .x }}1{{ else if .y }}2{{ else }}3{{ end }}', { y: true }, '2'],
    ['{{ with .x }}{{ .y }}{{ $.z }}{{ end }}', { x: { y: 1 }, z: 2 }, '12'],
    ['{{ if and .x (not .y) }}yes{{ end }}', { x: true, y: [] }, 'yes'],
    ['{{ if eq .x "b" }}yes{{ end }}', { x: 'b' }, 'yes'],
    ['{{ default "a" .x }}{{ .y | default "b" | quote }}', { x: '', y: 'c"' }, 'a"c\\""'],
    ['x:{{ toYaml .x | nindent 2 }}', { x: { b: ['1', 2], a: { c: 'd' } } }, 'x:\n  a:\n    c: d\n  b:\n    - "1"\n    - 2'],
    ['{{ toJson .x }}', { x: { b: 1, a: '<' } }, '{"a":"\\u003c","b":1}'],
    ['{{ toJson .x | sha256sum }}', { x: {} }, '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
    ['{{- define "n" -}}\n[{{ .a }}]\n{{- end }}{{ $v := dict "a" .x }}{{ include "n" $v }}', { x: 1 }, '[1]'],
    ['{{/* nothing */}}a', {}, 'a'],
  ];
  for (const [template, root, expected] of cases) {
    test(template, () => assert.equal(rendered(template, root), expected));
  }

  test('are refused where they are not understood', () => {
    for (const template of [
      '{{ range .x }}{{ end }}',
      '{{ printf "%s" .x }}',
      '{{ if .x }}',
      '{{ $x }}',
      '{{ include "n" . }}',
      '{{ (.x }}',
    ])
      assert.throws(() => rendered(template, { x: ['a'] }), Error, template);
    assert.throws(() => rendered('{{ required "give it" .x }}', { x: '' }), /^Error: give it$/);
  });
});
