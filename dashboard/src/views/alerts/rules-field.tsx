import { Box, Checkbox, NumberInput, Stack, Text } from '@mantine/core';
import { useMay } from '../../shell/me.tsx';
import { type Rule, RULE_TYPES, RULES } from './rules.ts';

interface RulesFieldProps {
  rules: readonly Rule[];
  faults: ReadonlyMap<string, string>;
  onChange: (rules: readonly Rule[]) => void;
}

/** What it tells of. What the key may not see itself, it may not be told of. */
export function RulesField({ rules, faults, onChange }: RulesFieldProps) {
  const may = useMay();
  const chosen = new Map(rules.map((rule) => [rule.type, rule]));
  // In the order in which they are shown, whichever was ticked first.
  const set = (next: ReadonlyMap<string, Rule>): void =>
    onChange(
      RULE_TYPES.flatMap((type) => {
        const rule = next.get(type);
        return rule ? [rule] : [];
      }),
    );
  const change = (rule: Rule): void => set(new Map([...chosen, [rule.type, rule]]));
  const remove = (type: string): void => set(new Map([...chosen].filter(([one]) => one !== type)));
  const fault = faults.get('rules');
  return (
    <Stack gap="sm" role="group" aria-label="Rules" data-fault={fault}>
      {fault !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
      {RULE_TYPES.map((type) => {
        const { title, about, scope, threshold } = RULES[type];
        const rule = chosen.get(type);
        const lacks = scope !== undefined && !may(scope);
        const value = threshold && rule ? (rule as Record<string, unknown>)[threshold.member] : undefined;
        const place = `rules[${rules.findIndex((one) => one.type === type)}]`;
        return (
          <Box key={type}>
            <Checkbox
              label={title}
              description={lacks ? `${about} This key lacks the scope ${scope}.` : about}
              checked={rule !== undefined}
              disabled={lacks && rule === undefined}
              error={faults.get(place) ?? faults.get(`${place}.type`)}
              onChange={({ currentTarget }) =>
                currentTarget.checked ? change({ type, ...(threshold && { [threshold.member]: threshold.initial }) } as Rule) : remove(type)
              }
            />
            {threshold && rule && (
              <NumberInput
                ml={32}
                mt={6}
                maw={260}
                label={threshold.label}
                suffix={threshold.suffix}
                allowDecimal={threshold.factor > 1}
                decimalScale={2}
                allowNegative={false}
                value={typeof value === 'number' ? value / threshold.factor : ''}
                error={faults.get(`${place}.${threshold.member}`)}
                // Nothing entered is nothing sent: the service says what is missing, or takes what is usual.
                onChange={(entered) =>
                  change({
                    ...rule,
                    [threshold.member]: entered === '' ? undefined : Math.round(Number(entered) * threshold.factor),
                  })
                }
              />
            )}
          </Box>
        );
      })}
    </Stack>
  );
}
