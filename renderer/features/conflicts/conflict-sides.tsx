// Owns the sides of a conflict beside each other: what stood before, and each value with who wrote it, where and when, and
// the way to keep it.
import { Button } from '@mantine/core'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { fieldLabel } from '../../fields/index.ts'
import { formatMoment } from '../../lib/format.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { propertyName, sidesOf, whoseIs } from './conflict-choices.ts'
import type { ShownSide } from './conflict-choices.ts'
import type { Conflict } from './conflict-queries.ts'
import { ValueText } from './value-text.tsx'
import classes from './conflicts.module.css'

/** The sides. */
export function ConflictSides(props: {
  conflict: Conflict
  fields: readonly FieldDefinition[]
  context: FieldContext
  ownDevice: string | undefined
  /** The side that Enter would keep, from 0. */
  chosen: number | undefined
  /** Absent where nothing can be decided any more. */
  onChoose: ((side: ShownSide) => void) | undefined
  busy: boolean
  /** Whether the keys of the sides work here. */
  hasKeys: boolean
  nameOf: (object: string, id: string) => string | undefined
}) {
  const { conflict, fields, context } = props
  const field = fields.find(({ name }) => name === conflict.field)
  const sides = sidesOf(conflict)
  const first = sides[0]?.side.value
  return (
    <div className={classes.sides}>
      {conflict.base !== undefined && (
        <section className={classes.side} data-before>
          <p className={classes.sideHead}>{t('word.before')}</p>
          <div className={classes.value}>
            <Value conflict={conflict} value={conflict.base} field={field} fields={fields} context={context} />
          </div>
        </section>
      )}
      {conflict.baseUnknown === true && (
        <section className={classes.side} data-before>
          <p className={classes.sideHead}>{t('word.before')}</p>
          <div className={classes.value}>
            <span className={classes.none}>{t('conflicts.before.unknown')}</span>
          </div>
        </section>
      )}
      {sides.map((shown, at) => (
        <section key={at} className={classes.side} data-chosen={props.chosen === at || undefined}>
          <p className={classes.sideHead}>
            {t(shown.heading, { device: deviceOf(shown) })}
            <Whose side={shown} ownDevice={props.ownDevice} />
          </p>
          <div className={classes.value}>
            <SideValue
              conflict={conflict}
              shown={shown}
              field={field}
              fields={fields}
              context={context}
              beside={at === 0 ? undefined : first}
              nameOf={props.nameOf}
            />
          </div>
          <p className={classes.who}>
            {shown.side.actor.id === ''
              ? deviceOf(shown)
              : t('conflicts.who', {
                  who: shown.side.actor.name ?? t('word.somebody'),
                  device: deviceOf(shown),
                })}
            {' · '}
            <time dateTime={shown.side.at}>{formatMoment(shown.side.at)}</time>
          </p>
          {props.onChoose && shown.choice && (
            <Button
              size="compact-sm"
              variant={props.chosen === at ? 'filled' : 'default'}
              disabled={props.busy}
              aria-keyshortcuts={props.hasKeys ? String(at + 1) : undefined}
              onClick={() => props.onChoose?.(shown)}
            >
              {t(shown.choice.label)}
              {props.hasKeys && at < 2 && <kbd className={classes.key}>{at + 1}</kbd>}
            </Button>
          )}
        </section>
      ))}
    </div>
  )
}

function deviceOf({ side }: ShownSide): string {
  return side.device.name === '' ? t('conflicts.someDevice') : side.device.name
}

function Whose(props: { side: ShownSide; ownDevice: string | undefined }) {
  const whose = whoseIs(props.side.side, props.ownDevice)
  return whose === 'unknown' ? null : <span className={classes.whose}>{t(`conflicts.whose.${whose}`)}</span>
}

function SideValue(props: {
  conflict: Conflict
  shown: ShownSide
  field: FieldDefinition | undefined
  fields: readonly FieldDefinition[]
  context: FieldContext
  beside: unknown
  nameOf: (object: string, id: string) => string | undefined
}) {
  const { conflict, shown, field, context } = props
  const { value, record } = shown.side
  if ((conflict.kind === 'unique' || conflict.kind === 'cycle') && record !== undefined) {
    return (
      <>
        <a href={`#${recordPath(conflict.object, record)}`}>{props.nameOf(conflict.object, record) ?? record}</a>
        {': '}
        <ValueText field={field} value={value} context={context} />
      </>
    )
  }
  if (conflict.kind === 'validation' && isPlain(value)) {
    const words = String(value['message'] ?? value['rule'] ?? '')
    if (field === undefined || value['value'] === undefined || value['value'] === null) return <>{words}</>
    return (
      <>
        <ValueText field={field} value={value['value']} context={context} />
        <span className={classes.detail}>{words}</span>
      </>
    )
  }
  if (conflict.kind === 'refused' && value === null)
    return <span className={classes.none}>{goneText(conflict, shown)}</span>
  if (conflict.kind === 'delete_edit' && conflict.item) return <RemovedText value={value} context={context} />
  if (conflict.kind === 'delete_edit' && value === null) return <span>{t('conflicts.deleted')}</span>
  return (
    <Value
      conflict={conflict}
      value={value}
      field={field}
      fields={props.fields}
      context={context}
      beside={props.beside}
    />
  )
}

/** That there is nothing on one side of a refusal. */
function goneText({ winner, item }: Conflict, { side }: ShownSide): string {
  if (side !== winner) return t('word.deleted')
  return t(item ? 'conflicts.refused.noneDefined' : 'conflicts.refused.none')
}

/** What became of a definition on one side: it was removed, or it, its parts or records of it were changed. */
function RemovedText({ value, context }: { value: unknown; context: FieldContext }) {
  if (!isPlain(value)) return <span>{t('conflicts.removed')}</span>
  const plainIn = (key: string) => (Array.isArray(value[key]) ? value[key].filter(isPlain) : [])
  const titles = plainIn('records').flatMap(({ title }) => (typeof title === 'string' ? [title] : []))
  const count = Number(value['count'] ?? 0)
  const parts = plainIn('parts').map(({ label }) => String(label))
  return (
    <>
      {count > 0 && tn('conflicts.recordsWritten', count)}
      {titles.length > 0 && <span className={classes.detail}>{titles.join(', ')}</span>}
      <dl className={classes.values}>
        {plainIn('changes').map(({ property, field, value: changed }) => (
          <div key={`${String(field)} ${String(property)}`}>
            <dt>{changeName(String(property), field)}</dt>
            <dd>
              <ValueText field={undefined} value={changed} context={context} />
            </dd>
          </div>
        ))}
      </dl>
      {parts.length > 0 && <span className={classes.detail}>{parts.join(', ')}</span>}
    </>
  )
}

function changeName(property: string, field: unknown): string {
  const name = propertyName(property)
  return typeof field === 'string' ? t('conflicts.property.of', { field, property: name }) : name
}

/** One value, or the values of several fields by name. */
function Value(props: {
  conflict: Conflict
  value: unknown
  field: FieldDefinition | undefined
  fields: readonly FieldDefinition[]
  context: FieldContext
  beside?: unknown
}) {
  const { value, field, context } = props
  const isOfItem = props.conflict.item !== undefined && props.conflict.kind !== 'refused'
  if (field !== undefined || isOfItem || !isPlain(value)) {
    return <ValueText field={field} value={value} context={context} beside={props.beside} />
  }
  return (
    <dl className={classes.values}>
      {Object.entries(value).map(([name, one]) => {
        const inner = props.fields.find((candidate) => candidate.name === name)
        // Of a list only members are known that were added or taken away.
        const isMember = inner !== undefined && (one === true || one === false) && inner.type !== 'boolean'
        return (
          <div key={name}>
            <dt>{inner ? fieldLabel(inner) : props.conflict.item ? propertyName(name) : name}</dt>
            <dd>{isMember ? t('conflicts.listChanged') : <ValueText field={inner} value={one} context={context} />}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
