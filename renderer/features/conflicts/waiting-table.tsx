// Owns the list of what is here and waits for its place: definitions that cannot be stored, records of objects or fields
// that are not defined yet. Shows only; the host tries again by itself.
import { ListTable } from '../../components/list-table.tsx'
import { formatMoment } from '../../lib/format.ts'
import { t, tn } from '../../lib/strings.ts'
import type { Waiting } from './conflict-queries.ts'
import classes from './conflicts.module.css'

const reasons = [
  'not_tried',
  'object_unknown',
  'newer_schema',
  'object_removed',
  'field_removed',
  'missing_reference',
  'validation_error',
  'conflict',
] as const

/** The list. */
export function WaitingTable(props: { waiting: readonly Waiting[] }) {
  return (
    <>
      <p className={classes.keys}>{t('conflicts.waiting.lead')}</p>
      <ListTable
        label={t('conflicts.waiting.list')}
        className={classes.aside}
        columns={[
          { label: t('conflicts.waiting.what') },
          { label: t('conflicts.aside.why') },
          { label: t('conflicts.aside.since'), wide: true },
        ]}
      >
        {props.waiting.map((one) => (
          <tr key={`${one.kind}/${one.type}/${one.name}`}>
            <th scope="row">
              {one.name}
              <span className={classes.item}>
                {one.kind === 'metadata'
                  ? t('conflicts.waiting.metadata', { type: one.type })
                  : tn(`conflicts.waiting.${one.kind}`, one.count)}
              </span>
            </th>
            <td>
              {reasonText(one.reason)}
              {one.detail !== '' && one.reason !== 'missing_reference' && (
                <span className={classes.detail}>{one.detail}</span>
              )}
            </td>
            <td data-time data-wide>
              {one.since !== null && formatMoment(one.since)}
            </td>
          </tr>
        ))}
      </ListTable>
    </>
  )
}

function reasonText(reason: string): string {
  return t(`conflicts.waiting.reason.${reasons.find((each) => each === reason) ?? 'other'}`)
}
