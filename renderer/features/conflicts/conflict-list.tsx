// Owns the list of conflicts under their records: narrowing it, moving in it by keys, and deciding many at once.
import { Button, Menu } from '@mantine/core'
import { IconArrowsJoin2, IconChevronDown } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { useMenu } from '../../components/menu-options.ts'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import type { FieldDefinition } from '../../fields/index.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { displayFieldOf, fieldList, objectLabel, useObjects } from '../objects/index.ts'
import { useFieldContext } from '../records/index.ts'
import type { CardPlace } from './conflict-card.tsx'
import { ConflictCard } from './conflict-card.tsx'
import { byRecord, isForMany } from './conflict-choices.ts'
import { conflictStates, conflictsQuery } from './conflict-queries.ts'
import type { Conflict, ConflictScope, ManyChoice, ShownState } from './conflict-queries.ts'
import { useDecisions } from './use-decisions.ts'
import { useRecordNames } from './use-record-names.ts'
import classes from './conflicts.module.css'

const manyChoices = ['newest', 'mine', 'theirs'] as const satisfies readonly ManyChoice[]

/** The list. */
export function ConflictList(props: {
  scope: ConflictScope
  ownDevice: string | undefined
  onState: (state: ShownState) => void
  /** Shows those of all records again; absent where all are shown. */
  onAll: (() => void) | undefined
}) {
  const { scope } = props
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    conflictsQuery(scope),
  )
  const conflicts = useMemo(() => data?.pages.flatMap((page) => page.conflicts) ?? [], [data])
  const place = useCardPlace(conflicts, props.ownDevice)
  const total = data?.pages[0]?.total ?? 0
  const decidableBy = (choice: ManyChoice): readonly Conflict[] => conflicts.filter((one) => isForMany(one, choice))
  const offered = manyChoices.filter(
    (choice) => (choice === 'newest' || props.ownDevice !== undefined) && decidableBy(choice).length > 0,
  )

  const decideAll = async (choice: ManyChoice): Promise<void> => {
    const decidable = decidableBy(choice)
    const isSure =
      decidable.length === 1 ||
      (await confirmAction({
        title: tn('conflicts.many.title', decidable.length),
        body: t(`conflicts.many.${choice}.text`),
        confirmLabel: t(`conflicts.many.${choice}`),
      }))
    if (isSure) await place.decisions.decideMany(decidable, choice)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const target = event.target as HTMLElement
    if (step === undefined || event.altKey || !target.hasAttribute('data-card')) return
    const cards = [...(list.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
    const next = cards[cards.indexOf(target) + step]
    if (!next) return
    event.preventDefault()
    next.focus()
  }

  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <div className={classes.bar}>
        <div role="group" aria-label={t('word.show')} className={classes.states}>
          {conflictStates.map((state) => (
            <Button
              key={state}
              size="compact-sm"
              variant={scope.state === state ? 'light' : 'subtle'}
              aria-pressed={scope.state === state}
              onClick={() => props.onState(state)}
            >
              {t(`conflicts.show.${state}`)}
            </Button>
          ))}
          {props.onAll && (
            <Button size="compact-sm" variant="subtle" onClick={props.onAll}>
              {t('word.allRecords')}
            </Button>
          )}
        </div>
        {scope.state === 'open' && offered.length > 0 && (
          <div className={classes.barEnd}>
            <Menu position="bottom-end" {...options}>
              <Menu.Target>
                <Button
                  ref={button}
                  size="compact-sm"
                  variant="default"
                  rightSection={<IconChevronDown size={14} aria-hidden />}
                >
                  {t('conflicts.many')}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {offered.map((choice) => (
                  <Menu.Item key={choice} onClick={after(() => void decideAll(choice))}>
                    {t(`conflicts.many.${choice}`)}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          </div>
        )}
      </div>
      {data === undefined ? (
        <Loading />
      ) : conflicts.length === 0 ? (
        <EmptyState
          icon={<IconArrowsJoin2 size={32} stroke={1.5} aria-hidden />}
          title={t(scope.state === 'open' ? 'conflicts.none' : 'conflicts.noneDecided')}
        >
          {t(scope.state === 'open' ? 'conflicts.none.text' : 'conflicts.noneDecided.text')}
        </EmptyState>
      ) : (
        <div ref={list} data-cards onKeyDown={onKeyDown}>
          {scope.state === 'open' && <p className={classes.keys}>{t('conflicts.keys')}</p>}
          {byRecord(conflicts).map(({ key, list: group }) => (
            <Group key={key} place={place} conflicts={group} />
          ))}
        </div>
      )}
      {hasNextPage && (
        <Button variant="default" mt="md" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('word.showMore')}
        </Button>
      )}
      <p className="cairn-hidden" role="status">
        {data && tn('conflicts.count', total)}
      </p>
    </>
  )
}

function Group(props: { place: CardPlace; conflicts: CardPlaceConflicts }) {
  const { conflicts, place } = props
  const { object, recordId, item: definition } = conflicts[0]!
  const { data: objects } = useObjects()
  const item = objects?.find(({ name }) => name === object)
  const name = definition?.label ?? place.nameOf(object, recordId)
  const title = name === undefined || name === '' ? t('conflicts.untitled') : name
  return (
    <section className={classes.group} aria-label={title}>
      <div className={classes.groupHead}>
        <h2 className={classes.groupTitle}>
          {definition ? title : <a href={`#${recordPath(object, recordId)}`}>{title}</a>}
        </h2>
        <span className={classes.groupObject}>
          {definition
            ? t('conflicts.definition', { type: definition.type, name: definition.name })
            : item
              ? objectLabel(item)
              : object}
        </span>
      </div>
      <ul className={classes.cards}>
        {conflicts.map((conflict) => (
          <ConflictCard key={conflict.id} conflict={conflict} place={place} focusable />
        ))}
      </ul>
    </section>
  )
}

type CardPlaceConflicts = Parameters<typeof useRecordNames>[0]

/** What the cards of a list need beside their conflict. */
export function useCardPlace(conflicts: CardPlaceConflicts, ownDevice: string | undefined): CardPlace {
  const { data: objects } = useObjects()
  const context = useFieldContext()
  const decisions = useDecisions()
  const nameOf = useRecordNames(conflicts, objects)
  const fieldsOf = useMemo(() => {
    const known = new Map<string, readonly FieldDefinition[]>()
    for (const object of objects ?? []) {
      const fields = fieldList(object).map((field) => {
        const target = objects?.find(({ name }) => name === field.reference)
        return target ? { ...field, displayField: displayFieldOf(target) } : field
      })
      known.set(object.name, fields as readonly FieldDefinition[])
    }
    return (object: string): readonly FieldDefinition[] => known.get(object) ?? []
  }, [objects])
  return { fieldsOf, context, ownDevice, nameOf, decisions }
}
