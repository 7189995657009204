// Owns the gallery: records as cards with a cover, and what stands around them.
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { useCommands } from '../../lib/commands.ts'
import { t, tn } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import { NoRecords, coverFields, useLiveRows, useRecordPeek, useRecordRows, useRowAt } from '../records/index.ts'
import type { ViewKindProps } from '../records/index.ts'
import { CardMenu, menuAt } from './card-menu.tsx'
import type { OpenCardMenu } from './card-menu.tsx'
import { GalleryCards } from './gallery-cards.tsx'
import type { ActiveCard } from './gallery-cards.tsx'
import { KindFrame, OptionSelect } from './kind-frame.tsx'
import { isPeekOpen, useKindPart } from './use-kind-part.tsx'

/** The gallery. */
export function GalleryView(props: ViewKindProps) {
  const part = useKindPart(props)
  const { object, query, filter, expand, context, options } = part
  const cover = part.field(options.coverField)
  const fields = part.cardFields([cover?.name])
  const rows = useRecordRows({ object: object.name, filter, sort: query.sort, search: query.search, expand }, true)
  const [active, setActive] = useState<ActiveCard>({ line: 0, tick: 0 })
  const [menu, setMenu] = useState<OpenCardMenu>()
  const isNarrowed = filter !== undefined || query.search !== ''
  part.bind({ reload: rows.reload })
  useLiveRows({
    object: object.name,
    view: { expand, sort: query.sort.map(({ field }) => field), narrowed: isNarrowed, figured: false },
    rows,
    reload: rows.reload,
    isShown: rows.total !== undefined,
  })
  const focus = (line: number): void => setActive((before) => ({ line, tick: before.tick + 1 }))
  const { open, peek } = useRecordPeek({
    object,
    address: part.address,
    rows,
    render: part.peek,
    onShown: (line) => {
      if (line === undefined) return
      if (isPeekOpen()) setActive({ line, tick: 0 })
      else focus(line)
    },
  })

  const onActive = useCallback(
    (line: number) => setActive((before) => (before.line === line ? before : { line, tick: 0 })),
    [],
  )
  const onMenu = useCallback((record: GridRecord, anchor: HTMLElement) => setMenu(menuAt(record, anchor)), [setMenu])
  const opening = useRef(open)
  useLayoutEffect(() => {
    opening.current = open
  })
  const onOpen = useCallback((line: number, id: string) => opening.current?.(line, id), [])
  const activeRow = useRowAt(rows, active.line)
  useCommands([
    {
      id: 'records.open',
      label: t('records.open'),
      group: 'records',
      enabled: open !== undefined && activeRow !== undefined,
      run: () => activeRow && open?.(active.line, String(activeRow.id)),
    },
  ])

  return (
    <KindFrame
      part={part}
      own={
        <OptionSelect
          label={t('gallery.cover')}
          none={t('word.none')}
          value={options.coverField ?? ''}
          choices={coverFields(part.fields)}
          onChange={(value) => part.setOptions({ coverField: value })}
        />
      }
      failure={rows.failed ? rows.error : undefined}
      onRetry={rows.retry}
      status={
        <>
          <span role="status">
            {rows.total !== undefined && tn(isNarrowed ? 'records.countFiltered' : 'records.count', rows.total)}
          </span>
          {rows.error !== undefined && !rows.failed && <span role="alert">{t('records.failedBlock')}</span>}
        </>
      }
      hint={t('gallery.hint')}
      peek={peek}
    >
      <GalleryCards
        label={t('gallery.of', { object: objectPluralLabel(object) })}
        {...{ rows, fields, cover, context, active, onActive, onOpen, onMenu }}
        titleOf={part.titleOf}
        onFocus={focus}
        empty={
          <NoRecords
            object={object}
            filtered={isNarrowed}
            onClear={() => part.onQuery({ filter: undefined, search: '' })}
            onNew={() => part.openNew()}
          />
        }
      />
      <CardMenu
        part={part}
        open={menu}
        onClose={() => setMenu(undefined)}
        onClosed={() => focus(active.line)}
        onOpen={
          open && ((record) => open(rows.follow(String(record.id), active.line) ?? active.line, String(record.id)))
        }
      />
    </KindFrame>
  )
}
