// Owns the list of a set's row rules and the ways to add, change and delete one.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import type { RightType } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { RowRuleDialog, conditionText } from './row-rule-dialog.tsx'
import type { SetDraft } from './set-draft.ts'

/** The list with its dialog. */
export function RowRuleList(props: { type: RightType; draft: SetDraft; onChange: (draft: SetDraft) => void }) {
  const { draft, onChange } = props
  const rules = draft.rowLevelSecurity
  const { data: objects } = useObjects()
  const [open, setOpen] = useState<number | 'new'>()
  const labelOf = (name: string): string => {
    const object = objects?.find((each) => each.name === name)
    return object ? objectPluralLabel(object) : name
  }
  const columns = [
    { label: t('word.rule') },
    { label: t('word.object') },
    { label: t('word.for') },
    { label: t('word.condition') },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <>
      <p className={parts.lead}>{t('rowRules.lead')}</p>
      {rules.length === 0 ? (
        <p className={parts.lead}>{t('rowRules.none')}</p>
      ) : (
        <ListTable label={t('word.rowRules')} columns={columns}>
          {rules.map((rule, index) => (
            <tr key={rule.name}>
              <th scope="row">{rule.name}</th>
              <td>{labelOf(rule.object)}</td>
              <td>{rule.actions.map((action) => t(`action.${action}` as StringKey)).join(', ')}</td>
              <td>
                <code>{conditionText(rule.condition) ?? t('rowRules.condition.filter')}</code>
              </td>
              <td data-end>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('rowRules.editOf', { rule: rule.name })}
                  onClick={() => setOpen(index)}
                >
                  {t('word.edit')}
                </Button>{' '}
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('rowRules.deleteOf', { rule: rule.name })}
                  onClick={() => onChange({ ...draft, rowLevelSecurity: rules.filter((_, at) => at !== index) })}
                >
                  {t('word.delete')}
                </Button>
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      <div className={parts.actions}>
        <Button variant="default" disabled={objects?.length === 0} onClick={() => setOpen('new')}>
          {t('rowRules.add')}
        </Button>
      </div>
      <RowRuleDialog
        type={props.type}
        draft={draft}
        rule={open}
        onClose={() => setOpen(undefined)}
        onDone={(rule) => {
          const next = [...rules]
          next[open === 'new' || open === undefined ? rules.length : open] = rule
          onChange({ ...draft, rowLevelSecurity: next })
          setOpen(undefined)
        }}
      />
    </>
  )
}
