// Owns the list of deleted records: what each was, when it goes for good, and what can be done with it.
import { Button, Checkbox } from '@mantine/core'
import { ListTable } from '../../components/list-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import type { TrashedRecord } from './trash-queries.ts'
import parts from '../../components/parts.module.css'
import classes from './trash.module.css'

/** The list; `withObject` says of each record what it is. */
export function TrashTable(props: {
  records: readonly TrashedRecord[]
  withObject: boolean
  labelOf: (object: string) => string
  mayPurge: (object: string) => boolean
  busy: boolean
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
  onRestore: (record: TrashedRecord) => void
  onPurge: (record: TrashedRecord) => void
}) {
  const { records, chosen, onChoose } = props
  const all = records.length > 0 && records.every(({ key }) => chosen.has(key))
  const columns = [
    { label: t('trash.column.select'), hidden: true },
    { label: t('word.record') },
    ...(props.withObject ? [{ label: t('word.object'), wide: true }] : []),
    { label: t('word.deleted') },
    { label: t('trash.column.by'), wide: true },
    { label: t('trash.column.goes'), wide: true },
    { label: t('word.whatToDo'), hidden: true },
  ]
  const toggle = (key: string): void => {
    const next = new Set(chosen)
    if (!next.delete(key)) next.add(key)
    onChoose(next)
  }
  return (
    <>
      <Checkbox
        className={classes.all}
        label={t('trash.selectAll')}
        checked={all}
        indeterminate={!all && chosen.size > 0}
        onChange={() => onChoose(all ? new Set() : new Set(records.map(({ key }) => key)))}
      />
      <ListTable label={t('trash.list')} columns={columns} stacked>
        {records.map((record) => {
          const name = record.title ?? t('word.untitled')
          return (
            <tr key={record.key}>
              <td className={classes.choice}>
                <Checkbox
                  aria-label={t('trash.select', { name })}
                  checked={chosen.has(record.key)}
                  onChange={() => toggle(record.key)}
                />
              </td>
              <th scope="row">{name}</th>
              {props.withObject && (
                <td data-wide data-quiet>
                  {props.labelOf(record.object)}
                </td>
              )}
              <td data-time>
                <Moment at={record.deletedAt} />
              </td>
              <td data-wide>{record.by ?? ''}</td>
              <td data-wide data-time>
                {goesText(record)}
              </td>
              <td>
                <div className={parts.rowButtons}>
                  <Button
                    size="compact-sm"
                    variant="default"
                    disabled={props.busy}
                    aria-label={t('trash.restoreOf', { name })}
                    onClick={() => props.onRestore(record)}
                  >
                    {t('trash.restore')}
                  </Button>
                  {props.mayPurge(record.object) && (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="red"
                      disabled={props.busy}
                      aria-label={t('trash.purgeOf', { name })}
                      onClick={() => props.onPurge(record)}
                    >
                      {t('trash.purge')}
                    </Button>
                  )}
                </div>
              </td>
            </tr>
          )
        })}
      </ListTable>
    </>
  )
}

function goesText({ goesAt }: TrashedRecord): string {
  if (goesAt === undefined) return t('word.never')
  return goesAt <= Date.now() ? t('trash.soon') : formatMoment(new Date(goesAt).toISOString())
}
