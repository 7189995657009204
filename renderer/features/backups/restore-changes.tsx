// Owns the list of what a restore would change.
import { ListTable } from '../../components/list-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { t, tn } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import type { BackupChanges } from './backup-queries.ts'
import classes from './backups.module.css'

/** Definitions that are named. */
const named = 12

/** The changes by object, and the definitions. */
export function RestoreChanges(props: { changes: BackupChanges }) {
  const { objects, definitions } = props.changes
  const { data: items = [] } = useObjects()
  const labelOf = (name: string): string => {
    const item = items.find((each) => each.name === name)
    return item ? objectPluralLabel(item) : name
  }
  const differing = objects.filter(
    ({ now, then, returning, going, reverting }) => now === null || then === null || returning + going + reverting > 0,
  )
  const changed = definitions.returning + definitions.going + definitions.reverting
  if (differing.length === 0 && changed === 0) return <p>{t('backup.restore.same')}</p>
  const more = changed - Math.min(named, definitions.items.length)
  const columns = [
    { label: t('word.object') },
    { label: t('word.now'), number: true },
    { label: t('backup.restore.then'), number: true },
    { label: t('backup.restore.returning'), number: true },
    { label: t('backup.restore.going'), number: true },
    { label: t('backup.restore.reverting'), number: true },
  ]
  return (
    <>
      {differing.length > 0 && (
        <ListTable label={t('word.records')} columns={columns}>
          {differing.map((each) => (
            <tr key={each.object}>
              <th scope="row">{labelOf(each.object)}</th>
              <td data-number>{countText(each.now)}</td>
              <td data-number>{countText(each.then)}</td>
              <td data-number>{formatNumber(each.returning)}</td>
              <td data-number>{formatNumber(each.going)}</td>
              <td data-number>{formatNumber(each.reverting)}</td>
            </tr>
          ))}
        </ListTable>
      )}
      {changed > 0 && (
        <div>
          <h3 className={classes.heading}>{t('backup.restore.definitions')}</h3>
          <ul className={classes.definitions}>
            {definitions.items.slice(0, named).map(({ type, name, change }) => (
              <li key={`${type} ${name}`}>
                {type} {name}: {t(`backup.change.${change}`)}
              </li>
            ))}
            {more > 0 && <li>{tn('backup.restore.moreDefinitions', more)}</li>}
          </ul>
        </div>
      )}
    </>
  )
}

function countText(count: number | null): string {
  return count === null ? t('word.noneSmall') : formatNumber(count)
}
