// Owns what a person is given: one profile, roles, permission sets. What was changed of it is saved, and nothing else.
import { Button, Checkbox, NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { profileLabel, rightSetsQuery } from '../../lib/right-sets.ts'
import type { RightItem } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { assignmentsQuery } from './access-queries.ts'
import type { Assignments } from './access-queries.ts'
import classes from './access.module.css'

/** The section; nothing for callers who may not see what others are given. */
export function PersonRights(props: { userId: string; name: string }) {
  const { data, error, refetch } = useQuery(assignmentsQuery(props.userId))
  if (hasCode(error, 'permission_denied')) return null
  return (
    <section className={parts.section} aria-labelledby="person-rights">
      <h2 id="person-rights">{t('person.given')}</h2>
      <p className={parts.lead}>{t('person.given.lead')}</p>
      {error && !data && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {data && <RightsForm key={data.userId} given={data} name={props.name} />}
    </section>
  )
}

function RightsForm(props: { given: Assignments; name: string }) {
  const { given, name } = props
  const client = useQueryClient()
  const { data: profiles } = useQuery(rightSetsQuery('profile'))
  const { data: roles } = useQuery(rightSetsQuery('role'))
  const { data: sets } = useQuery(rightSetsQuery('permission'))
  const [changes, setChanges] = useState<Partial<Assignments>>({})
  const draft = { ...given, ...changes }
  const change = (part: Partial<Assignments>): void => setChanges((now) => ({ ...now, ...part }))

  const save = async (): Promise<void> => {
    await call('setAssignments', { params: { userId: given.userId }, body: changes })
    showToast({ message: t('person.rightsSaved', { name }), tone: 'good' })
    await client.invalidateQueries({ queryKey: ['people'] })
    // What was chosen meanwhile is not saved yet.
    const isSaved = ([part, value]: [string, unknown]): boolean => changes[part as keyof Assignments] === value
    setChanges((now) => Object.fromEntries(Object.entries(now).filter((one) => !isSaved(one))))
  }
  const { busy, problem, onSubmit } = useSubmit(save)
  const isLast = hasCode(problem, 'conflict') && problem.details['reason'] === 'last_administrator'

  const known = profiles ?? [{ name: draft.profile, label: profileLabel(draft.profile) }]
  return (
    <form onSubmit={onSubmit} noValidate className={parts.form}>
      <NativeSelect
        label={t('word.profile')}
        value={draft.profile}
        data={known.map(({ name: value, label }) => ({ value, label }))}
        onChange={(event) => change({ profile: event.currentTarget.value })}
      />
      <Choices
        legend={t('word.roles')}
        none={t('person.roles.none')}
        items={roles}
        chosen={draft.roles}
        onChange={(chosen) => change({ roles: chosen })}
      />
      <Choices
        legend={t('word.permissionSets')}
        none={t('person.sets.none')}
        items={sets}
        chosen={draft.permissionSets}
        onChange={(chosen) => change({ permissionSets: chosen })}
      />
      {problem !== undefined && (
        <Notice tone="bad" live>
          {isLast ? t('person.lastAdministrator') : problemText(problem)}
        </Notice>
      )}
      <Button type="submit" variant="default" loading={busy} className={parts.start}>
        {t('word.save')}
      </Button>
    </form>
  )
}

/** Several of some items, each with a box to tick. */
export function Choices(props: {
  legend: string
  none: string
  items: readonly RightItem[] | undefined
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}) {
  const { items, chosen } = props
  return (
    <fieldset className={`${parts.options} ${classes.inColumns}`}>
      <legend>{props.legend}</legend>
      {items?.length === 0 && <p className={parts.quiet}>{props.none}</p>}
      {items?.map((item) => (
        <Checkbox
          key={item.name}
          label={item.label}
          checked={chosen.includes(item.name)}
          onChange={(event) =>
            props.onChange(
              event.currentTarget.checked ? [...chosen, item.name] : chosen.filter((name) => name !== item.name),
            )
          }
        />
      ))}
    </fieldset>
  )
}
