// Owns the mark of a record: whether its newest change is on the other devices. Quiet.
import { Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconClockUp, IconCloudUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { t, tn } from '../../lib/strings.ts'
import { conflictsPath } from './sync-places.ts'
import { peersQuery, recordSyncQuery } from './sync-queries.ts'
import { listNames } from './sync-words.ts'
import classes from './sync.module.css'

const pictures = { here: IconCloudUp, sent: IconClockUp, everywhere: IconCheck } as const

/** The mark of one record. */
export function RecordSync(props: { object: string; id: string }) {
  const { data } = useQuery(recordSyncQuery(props.object, props.id))
  const { data: peers } = useQuery(peersQuery)
  if (!data) return null
  const named = (ids: readonly string[]): string => listNames(peers?.filter(({ id }) => ids.includes(id)) ?? [])
  const isRefused = data.refusedBy.length > 0
  const names = named(isRefused ? data.refusedBy : data.missingOn)
  const label = isRefused
    ? t('sync.record.refused.on', { names: names === '' ? t('sync.unknownDevice') : names })
    : data.state === 'everywhere'
      ? t('sync.record.everywhere')
      : names === ''
        ? t(`sync.record.${data.state}`)
        : t(`sync.record.${data.state}.on`, { names })
  const Picture = isRefused ? IconAlertTriangle : pictures[data.state]
  return (
    <span className={classes.mark}>
      <Tooltip label={label}>
        <span className={classes.markState} role="img" aria-label={label} tabIndex={0}>
          <Picture size={16} stroke={1.75} aria-hidden />
          {data.state === 'here' && <span className={classes.markText}>{t('sync.record.here')}</span>}
        </span>
      </Tooltip>
      {data.conflicts > 0 && (
        <a className={classes.conflicts} href={`#${conflictsPath}?object=${props.object}&record=${props.id}`}>
          {tn('sync.conflicts', data.conflicts)}
        </a>
      )}
    </span>
  )
}
