// Owns the part of the designer that lists the stored views of an object.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ListTable } from '../../components/list-table.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'

function viewListQuery(object: string) {
  return queryOptions({
    queryKey: ['object-view-list', object] as const,
    queryFn: async ({ signal }) => {
      const { views } = await call('listViews', { query: { object }, signal })
      return views.filter(({ hidden }) => hidden !== true)
    },
    staleTime: 0,
  })
}

/** The part. */
export function ViewsPart(props: { object: string; label: string }) {
  const { data: views, error, refetch } = useQuery(viewListQuery(props.object))
  if (error && !views) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!views) return null
  if (views.length === 0) return <p>{t('objectViews.none')}</p>
  const columns = [{ label: t('word.view') }, { label: t('word.for') }]
  return (
    <>
      <p className={parts.lead}>{t('objectViews.lead')}</p>
      <ListTable label={t('word.viewsOf', { object: props.label })} columns={columns}>
        {views.map((view) => (
          <tr key={view.id}>
            <th scope="row">
              <a className={parts.link} href={`#/o/${props.object}?v=${encodeURIComponent(view.id)}`}>
                {view.label}
              </a>
            </th>
            <td>{t(view.scope === 'personal' ? 'objectViews.personal' : 'objectViews.shared')}</td>
          </tr>
        ))}
      </ListTable>
    </>
  )
}
