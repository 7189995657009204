// Owns how the computers are that keep the workspace: who leads, who follows and how far behind, and what to do.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ListTable } from '../../components/list-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'

const hubQuery = queryOptions({
  queryKey: ['hub'] as const,
  queryFn: async ({ signal }) => call('getHub', { signal }),
  refetchInterval: 5_000,
  staleTime: 0,
  retry: false,
})

/** A copy is made each day. */
const oldMs = 2 * 86_400_000

/** The part. */
export function HubPart() {
  const { data: hub, error, dataUpdatedAt, refetch } = useQuery(hubQuery)
  if (error && !hub) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!hub) return <p role="status">{t('word.loading')}</p>
  const { nodes, snapshot, restorableFrom, unsafeSettings } = hub
  const isOld = snapshot !== null && dataUpdatedAt - Date.parse(snapshot.madeAt) > oldMs
  return (
    <>
      <p className={parts.lead}>{t('hub.lead')}</p>
      {error && (
        <div className={parts.section}>
          <Notice tone="bad" live>
            {t('hub.silent', { when: formatMoment(new Date(dataUpdatedAt).toISOString()) })}
          </Notice>
        </div>
      )}
      {unsafeSettings.length > 0 && (
        <div className={parts.section}>
          <Notice tone="bad">{t('hub.unsafe', { settings: unsafeSettings.join(', ') })}</Notice>
        </div>
      )}
      {!nodes.some(({ state }) => state === 'follows') && (
        <div className={parts.section}>
          <Notice tone="warn">{t('hub.alone')}</Notice>
        </div>
      )}
      {isOld && (
        <div className={parts.section}>
          <Notice tone="warn">{t('hub.old')}</Notice>
        </div>
      )}
      <dl className={parts.facts}>
        {snapshot !== null && (
          <>
            <dt>{t('hub.snapshot')}</dt>
            <dd>{[formatMoment(snapshot.madeAt), ...(snapshot.isVerified ? [] : [t('hub.unchecked')])].join(', ')}</dd>
          </>
        )}
        {restorableFrom !== null && (
          <>
            <dt>{t('hub.restorable')}</dt>
            <dd>{formatMoment(restorableFrom)}</dd>
          </>
        )}
      </dl>
      <section className={parts.section}>
        <h2>{t('hub.nodes')}</h2>
        <ListTable
          label={t('hub.nodes')}
          columns={[
            { label: t('word.name') },
            { label: t('hub.address') },
            { label: t('hub.state') },
            { label: t('hub.behind'), number: true },
            { label: t('hub.seen'), wide: true },
          ]}
        >
          {nodes.map(({ node, address, state, rowsBehind, seenAt }) => (
            <tr key={node}>
              <th scope="row">{node}</th>
              <td>{address}</td>
              <td>
                <span className={parts.badge} data-tone={state === 'gone' ? 'bad' : undefined}>
                  {t(`hub.state.${state}`)}
                </span>
              </td>
              <td data-number>{state === 'gone' ? '' : formatNumber(rowsBehind)}</td>
              <td data-wide data-quiet>
                <Moment at={seenAt} />
              </td>
            </tr>
          ))}
        </ListTable>
        <p className={parts.lead}>{t('hub.handover', { command: 'cairn hub handover' })}</p>
      </section>
    </>
  )
}
