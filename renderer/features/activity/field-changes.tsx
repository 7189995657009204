// Owns showing what changed in a record: each field with its value before and after.
import type { ReactNode } from 'react'
import { t } from '../../lib/strings.ts'
import type { FieldChange } from './feed-queries.ts'
import classes from './activity.module.css'

/** The value of a field as people read it. */
export type ShowValue = (field: string, value: unknown) => string | undefined

/** The changes; `after` stands behind each of them. */
export function FieldChanges(props: {
  changes: readonly FieldChange[]
  show?: ShowValue
  /** Nothing was there before: only what came is shown. */
  fresh?: boolean
  after?: (change: FieldChange) => ReactNode
}) {
  return (
    <dl className={classes.changes}>
      {props.changes.map((change) => (
        <div key={change.field} className={classes.change}>
          <dt>{change.fieldLabel ?? change.field}</dt>
          <dd>
            {!props.fresh && (
              <>
                <span className="cairn-hidden">{t('activity.before')} </span>
                <Side {...change} value={change.oldValue} text={change.oldDisplayValue} show={props.show} was />
                <span aria-hidden> → </span>
                <span className="cairn-hidden"> {t('activity.after')} </span>
              </>
            )}
            <Side {...change} value={change.newValue} text={change.newDisplayValue} show={props.show} />
            {props.after?.(change)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Side(props: { field: string; value: unknown; text: string | undefined; was?: boolean; show?: ShowValue }) {
  const text = props.show?.(props.field, props.value) ?? props.text ?? plainText(props.value)
  if (text === '') return <span className={classes.none}>{t('word.emptySmall')}</span>
  return props.was ? <del>{text}</del> : <ins>{text}</ins>
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
