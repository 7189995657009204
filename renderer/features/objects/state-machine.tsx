// Owns the steps of a choice: which field, where new records begin, which choice may follow which.
import { Checkbox, NativeSelect } from '@mantine/core'
import { findFieldType } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { ObjectDraft } from './field-draft.ts'
import { hasOptions } from './field-settings.ts'
import classes from './field-dialog.module.css'
import { transitionMap, withTransition } from './rule-draft.ts'
import type { RuleItem } from './rule-draft.ts'
import type { DraftProblem } from './use-draft-check.ts'

/** What each part of a rule is given. */
export interface RulePartsProps {
  rule: RuleItem
  draft: ObjectDraft
  missing: readonly string[]
  problems: readonly DraftProblem[]
  note: string
  onChange: (part: Partial<RuleItem>) => void
}

/** The form: a table with one row and one column per choice of the field. */
export function StateMachine(props: RulePartsProps & { problemOf: (key: string) => string | undefined }) {
  const { rule, draft, onChange } = props
  const choices = draft.fields.filter(
    (field) => !field.deleted && hasOptions(field.item.type) && !findFieldType(field.item.type)?.elementType,
  )
  const field = choices.find((choice) => choice.name === rule.field)
  const states = (field?.item.options ?? []).map((option) =>
    typeof option === 'string' ? { value: option, label: option } : { ...option, label: option.label ?? option.value },
  )
  const map = transitionMap(rule)
  return (
    <>
      <NativeSelect
        label={t('word.field')}
        value={rule.field ?? ''}
        error={props.problemOf('field')}
        description={choices.length === 0 ? t('rule.transitions.noField') : undefined}
        data={[
          { value: '', label: t('setting.fieldNone') },
          ...choices.map(({ name, item }) => ({ value: name, label: item.label ?? name })),
        ]}
        onChange={(event) =>
          onChange({ field: event.currentTarget.value || undefined, initial: undefined, transitions: undefined })
        }
      />
      {field && (
        <NativeSelect
          label={t('rule.initial')}
          value={rule.initial ?? ''}
          error={props.problemOf('initial')}
          data={[{ value: '', label: t('rule.initial.any') }, ...states.map(({ value, label }) => ({ value, label }))]}
          onChange={(event) => onChange({ initial: event.currentTarget.value || undefined })}
        />
      )}
      {field && map === undefined && <p className={classes.note}>{t('rule.transitions.long')}</p>}
      {field && map !== undefined && (
        <fieldset className={classes.group}>
          <legend>{t('rule.transitions')}</legend>
          <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('rule.transitions')}>
            <table className={classes.steps}>
              <thead>
                <tr>
                  <th scope="col">{t('word.from')}</th>
                  {states.map((to) => (
                    <th key={to.value} scope="col">
                      → {to.label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {states.map((from) => (
                  <tr key={from.value}>
                    <th scope="row">{from.label}</th>
                    {states.map((to) => (
                      <td key={to.value}>
                        {from.value !== to.value && (
                          <Checkbox
                            aria-label={t('rule.transitions.step', { from: from.label, to: to.label })}
                            checked={Object.hasOwn(map, from.value) && (map[from.value]?.includes(to.value) ?? false)}
                            styles={{ body: { justifyContent: 'center' } }}
                            onChange={(event) =>
                              onChange({
                                transitions: withTransition(
                                  map,
                                  states.map((state) => state.value),
                                  from.value,
                                  to.value,
                                  event.currentTarget.checked,
                                ),
                              })
                            }
                          />
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {props.problemOf('transitions') && <p className={classes.error}>{props.problemOf('transitions')}</p>}
        </fieldset>
      )}
    </>
  )
}
