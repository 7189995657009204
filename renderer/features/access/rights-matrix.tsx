// Owns the matrix of a permission set: objects against rights, each object opening to its fields.
import { Button } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { FieldMatrix } from './field-matrix.tsx'
import { flagOf, shownActions } from './role-rights.ts'
import { everyObject, hasFlag, hasOwnRights, withFlag, withoutOwnRights } from './set-draft.ts'
import type { SetDraft } from './set-draft.ts'
import classes from './rights-matrix.module.css'

interface MatrixProps {
  draft: SetDraft
  onChange: (draft: SetDraft) => void
}

/** The matrix. */
export function RightsMatrix(props: MatrixProps) {
  const { data: objects } = useObjects()
  return (
    <>
      <p className={parts.quiet}>{t('set.matrix.lead')}</p>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('set.matrix')}>
        <table className={classes.matrix} aria-label={t('set.matrix')}>
          <thead>
            <tr>
              <th scope="col">{t('word.object')}</th>
              {shownActions.map((action) => (
                <th key={action} scope="col">
                  {t(`action.${action}`)}
                </th>
              ))}
              <th scope="col">
                <span className="cairn-hidden">{t('set.reset')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <ObjectRow {...props} object={everyObject} label={t('set.all')} />
            {objects?.map((object) => (
              <ObjectRow key={object.name} {...props} object={object.name} label={objectPluralLabel(object)} />
            ))}
          </tbody>
        </table>
      </div>
      {objects?.length === 0 && <p className={parts.quiet}>{t('set.noObjects')}</p>}
    </>
  )
}

function ObjectRow(props: MatrixProps & { object: string; label: string }) {
  const { draft, object, label, onChange } = props
  const [open, setOpen] = useState(false)
  const isAll = object === everyObject
  const isOwn = hasOwnRights(draft, object)
  const Toggle = (
    <button
      type="button"
      className={classes.toggle}
      aria-expanded={open}
      aria-label={t(open ? 'set.collapse' : 'set.expand', { object: label })}
      onClick={() => setOpen(!open)}
    >
      <IconChevronRight size={16} aria-hidden />
    </button>
  )
  return (
    <>
      <tr data-all={isAll || undefined}>
        <th scope="row">
          <span className={classes.object}>
            {!isAll && Toggle}
            {label}
          </span>
        </th>
        {shownActions.map((action) => {
          const flag = flagOf[action]
          const right = t(`action.${action}`)
          const inherited = !isAll && !isOwn
          return (
            <td key={flag}>
              <label className={classes.cell}>
                <input
                  type="checkbox"
                  aria-label={t(inherited ? 'set.cell.inherited' : 'set.cell', { object: label, right })}
                  data-inherited={inherited || undefined}
                  checked={hasFlag(draft, object, flag)}
                  onChange={(event) => onChange(withFlag(draft, object, flag, event.currentTarget.checked))}
                />
              </label>
            </td>
          )
        })}
        <td data-end>
          {!isAll && isOwn && (
            <Button
              size="compact-xs"
              variant="subtle"
              aria-label={t('set.resetOf', { object: label })}
              onClick={() => onChange(withoutOwnRights(draft, object))}
            >
              {t('set.reset')}
            </Button>
          )}
        </td>
      </tr>
      {open && (
        <tr className={classes.fields}>
          <td colSpan={shownActions.length + 2} style={{ textAlign: 'start' }}>
            <FieldMatrix draft={draft} object={object} label={label} onChange={onChange} />
          </td>
        </tr>
      )}
    </>
  )
}
