// Owns the list of an object's rules and the ways to add, change and delete one; the draft holds them until it is saved.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import type { ObjectDraft } from './field-draft.ts'
import type { ObjectItem } from './object-item.ts'
import { RuleDialog } from './rule-dialog.tsx'
import type { RuleItem } from './rule-draft.ts'

/** The list with its dialog. */
export function RuleList(props: { object: ObjectItem; draft: ObjectDraft; onChange: (rules: RuleItem[]) => void }) {
  const { rules } = props.draft
  const [open, setOpen] = useState<number | 'new'>()
  const done = (rule: RuleItem): void => {
    const next = [...rules]
    next[open === 'new' || open === undefined ? rules.length : open] = rule
    props.onChange(next)
    setOpen(undefined)
  }
  const columns = [
    { label: t('word.rule') },
    { label: t('word.kind'), wide: true },
    { label: t('rules.column.message'), wide: true },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <>
      <p>{t('rules.lead')}</p>
      {rules.length === 0 ? (
        <p>{t('rules.none')}</p>
      ) : (
        <ListTable label={t('rules.list', { object: props.draft.label })} columns={columns} stacked>
          {rules.map((rule, index) => {
            const label = rule.label || rule.name
            return (
              <tr key={rule.name}>
                <th scope="row">
                  {label}
                  {rule.active === false && (
                    <span className={parts.badge} data-tone="bad">
                      {t('rules.off')}
                    </span>
                  )}
                </th>
                <td data-wide>{t(`rule.type.${rule.type}` as StringKey)}</td>
                <td data-wide>{rule.message}</td>
                <td>
                  <div className={parts.rowButtons}>
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={t('rules.editOf', { rule: label })}
                      onClick={() => setOpen(index)}
                    >
                      {t('word.edit')}
                    </Button>
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={t('rules.deleteOf', { rule: label })}
                      onClick={() => props.onChange(rules.filter((_, at) => at !== index))}
                    >
                      {t('word.delete')}
                    </Button>
                  </div>
                </td>
              </tr>
            )
          })}
        </ListTable>
      )}
      <Button variant="default" mt="md" onClick={() => setOpen('new')}>
        {t('rules.add')}
      </Button>
      <RuleDialog
        object={props.object}
        draft={props.draft}
        rule={open}
        onClose={() => setOpen(undefined)}
        onDone={done}
      />
    </>
  )
}
