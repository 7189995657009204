// Owns what a line of the inbox says below its title: the object, the step, who asked, and when it escalates.
import { useQueries, useQuery } from '@tanstack/react-query'
import { discoveryQuery } from '../../lib/discovery.ts'
import { formatMoment } from '../../lib/format.ts'
import { useOwnId } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { useObjects } from '../objects/index.ts'
import { objectWord } from './approval-queries.ts'
import { readersQuery } from './use-people-names.ts'
import { configQuery } from './workflow-queries.ts'
import type { Approval } from './workflow-queries.ts'
import { transitionLabel } from './workflow-words.ts'

/** The words of each approval. Workflows are asked for once per object, names once per person. */
export function useListWords(approvals: readonly Approval[]): (approval: Approval) => string {
  const ownId = useOwnId()
  const { data: objects } = useObjects()
  const { data: manifest } = useQuery(discoveryQuery)
  const hasFeed = manifest?.features.feed === true
  const names = [...new Set(approvals.map(({ object }) => object))]
  const configs = useQueries({ queries: names.map((name) => ({ ...configQuery(name), retry: false })) })
  const firstOf = [...new Map(approvals.map((one) => [one.submitterId, one])).values()].filter(
    ({ submitterId }) => submitterId !== ownId,
  )
  const readers = useQueries({ queries: firstOf.map((one) => ({ ...readersQuery(one), enabled: hasFeed })) })
  const people = new Map(readers.flatMap(({ data = [] }) => data.map(({ id, name }) => [id, name] as const)))
  return ({ object, workflow, transition, submitterId, status, escalatesAt }) => {
    const config = configs[names.indexOf(object)]?.data?.find(({ name }) => name === workflow)
    const escalates = status === 'pending' && escalatesAt !== undefined
    return [
      objectWord(objects, object),
      transition === undefined ? undefined : transitionLabel(config, transition),
      submitterId === ownId ? undefined : people.get(submitterId),
      escalates ? t('approvals.escalates', { when: formatMoment(escalatesAt) }) : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(' · ')
  }
}
