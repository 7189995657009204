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
  after?: (change: FieldChange) => ReactNode
}) {
  return (
    <dl className={classes.changes}>
      {props.changes.map((change) => (
        <div key={change.field} className={classes.change}>
          <dt>{change.fieldLabel ?? change.field}</dt>
          <dd>
            <Side
              word={t('activity.before')}
              value={change.oldValue}
              text={change.oldDisplayValue}
              {...props}
              {...change}
              was
            />
            <span aria-hidden> → </span>
            <Side
              word={t('activity.after')}
              value={change.newValue}
              text={change.newDisplayValue}
              {...props}
              {...change}
            />
            {props.after?.(change)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Side(props: {
  word: string
  field: string
  value: unknown
  text: string | undefined
  was?: boolean
  show?: ShowValue
}) {
  const text = props.text ?? props.show?.(props.field, props.value) ?? plainText(props.value)
  const Tag = props.was ? 'del' : 'ins'
  return (
    <>
      <span className="cairn-hidden">{props.word} </span>
      {text === '' ? <span className={classes.none}>{t('activity.empty')}</span> : <Tag>{text}</Tag>}
    </>
  )
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
