// Owns what others changed since the person was last here: by object, with the latest records.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Moment } from '../../components/moment.tsx'
import { call } from '../../lib/api-client.ts'
import { formatMoment } from '../../lib/format.ts'
import { useOwnId } from '../../lib/me.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { displayFieldOf, objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './home-screen.module.css'
import { lastVisitOf, noteVisit } from './last-visit.ts'

/** Records named of each object, and objects that are asked. */
const named = 3
const maxObjects = 40
const noteEveryMs = 60_000

interface Changed {
  object: ObjectItem
  total: number
  records: { id: string; title: string; at: string; by: string | undefined }[]
}

/** The part; nothing on a first visit. */
export function ChangesPart(props: { objects: readonly ObjectItem[] }) {
  const person = useOwnId()
  const since = person === undefined ? undefined : lastVisitOf(person)
  const objects = props.objects.slice(0, maxObjects)
  const { data } = useQuery({
    queryKey: ['changed-since', since, objects.map(({ name }) => name)] as const,
    queryFn: async ({ signal }) =>
      (await Promise.all(objects.map(async (object) => changedOf(object, since!, person!, signal)))).filter(
        ({ total }) => total > 0,
      ),
    enabled: since !== undefined,
    staleTime: 30_000,
  })
  useEffect(() => {
    if (person === undefined) return
    const timer = setInterval(() => noteVisit(person), noteEveryMs)
    return () => clearInterval(timer)
  }, [person])
  if (since === undefined || data === undefined) return null
  if (data.length === 0) return <p className={classes.quiet}>{t('home.changes.none', { when: formatMoment(since) })}</p>
  return (
    <section>
      <h2 className={classes.heading}>{t('home.changes')}</h2>
      <p className={classes.quiet}>{t('home.changes.since', { when: formatMoment(since) })}</p>
      <ul className={classes.changes}>
        {data.map(({ object, total, records }) => (
          <li key={object.name}>
            <a href={`#/o/${object.name}?s=-updated_at`} className={classes.changed}>
              {tn('home.changes.of', total, { object: objectPluralLabel(object) })}
            </a>
            <ul className={classes.records}>
              {records.map(({ id, title, at, by }) => (
                <li key={id}>
                  <a href={`#${recordPath(object.name, id)}`}>
                    {by === undefined ? title : t('home.changes.by', { title, name: by })}
                  </a>{' '}
                  <Moment at={at} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}

async function changedOf(object: ObjectItem, since: string, person: string, signal: AbortSignal): Promise<Changed> {
  const display = displayFieldOf(object)
  const { records, total } = await call('queryRecords', {
    params: { object: object.name },
    body: {
      filter: { updated_at: { $gt: since }, updated_by: { $ne: person } },
      sort: '-updated_at',
      top: named,
      count: true,
      select: ['id', 'updated_at', 'updated_by', ...(display === undefined ? [] : [display])],
      expand: ['updated_by'],
    },
    signal,
  })
  return {
    object,
    total: total ?? records.length,
    records: records.map((record) => {
      const by = record['updated_by'] as { name?: string } | string | null
      return {
        id: String(record['id']),
        title: (display === undefined ? '' : String(record[display] ?? '')) || t('word.untitled'),
        at: String(record['updated_at']),
        by: typeof by === 'object' ? by?.name : undefined,
      }
    }),
  }
}
