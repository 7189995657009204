// Owns the fields of one object inside of the matrix: which of them a permission set lets read and edit.
import { Button } from '@mantine/core'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { fieldList, useObjects } from '../objects/index.ts'
import { fieldAccess, limitsField, withFieldAccess, withoutFieldAccess } from './set-draft.ts'
import type { FieldAccess, SetDraft } from './set-draft.ts'
import classes from './rights-matrix.module.css'

const accesses = [
  ['readable', 'set.field.read'],
  ['editable', 'set.field.edit'],
] as const satisfies readonly (readonly [keyof FieldAccess, string])[]

/** The table. */
export function FieldMatrix(props: {
  draft: SetDraft
  object: string
  label: string
  onChange: (draft: SetDraft) => void
}) {
  const { draft, object } = props
  const { data: objects } = useObjects()
  const item = objects?.find((each) => each.name === object)
  const fields = item ? fieldList(item) : []
  if (fields.length === 0) return <span className={parts.quiet}>{t('set.fields.none')}</span>
  return (
    <table className={classes.inner} aria-label={t('fields.list', { object: props.label })}>
      <thead>
        <tr>
          <th scope="col">{t('word.field')}</th>
          {accesses.map(([access, label]) => (
            <th key={access} scope="col">
              {t(label)}
            </th>
          ))}
          <th scope="col">
            <span className="cairn-hidden">{t('set.field.reset')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => {
          const label = field.label ?? field.name
          const said = limitsField(draft, object, field.name)
          const current = fieldAccess(draft, object, field.name)
          return (
            <tr key={field.name}>
              <th scope="row">{label}</th>
              {accesses.map(([access, word]) => (
                <td key={access}>
                  <label className={classes.cell}>
                    <input
                      type="checkbox"
                      aria-label={t('set.field.cell', { field: label, access: t(word) })}
                      data-inherited={!said || undefined}
                      checked={current[access]}
                      onChange={(event) =>
                        props.onChange(withFieldAccess(draft, object, field.name, access, event.currentTarget.checked))
                      }
                    />
                  </label>
                </td>
              ))}
              <td>
                {said ? (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={t('set.field.resetOf', { field: label })}
                    onClick={() => props.onChange(withoutFieldAccess(draft, object, field.name))}
                  >
                    {t('set.field.reset')}
                  </Button>
                ) : (
                  <span className={parts.quiet}>{t('set.field.open')}</span>
                )}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
