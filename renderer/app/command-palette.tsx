// Owns the palette: one field that finds commands, screens, objects, views, settings and records by any of their words.
import {
  IconAdjustments,
  IconArrowRight,
  IconCommand,
  IconFileText,
  IconHistory,
  IconLayoutList,
  IconTable,
} from '@tabler/icons-react'
import { Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { ShortcutKeys } from '../components/shortcut-keys.tsx'
import { useDialogLayer } from '../components/use-dialog-layer.ts'
import { useReturnedFocus } from '../components/use-returned-focus.ts'
import { objectLabel, useObjects } from '../features/objects/index.ts'
import { MarkedText, searchQuery } from '../features/search/index.ts'
import { navigate } from '../lib/hash-location.ts'
import { recordPath } from '../lib/record-address.ts'
import { t, tn } from '../lib/strings.ts'
import classes from './command-palette.module.css'
import { takeEarlyKeys } from './early-keys.ts'
import { arrange, usePaletteEntries } from './palette-entries.ts'
import type { PaletteEntry } from './palette-entries.ts'
import { setPaletteOpen, useUi } from './ui-state.ts'

const sectionTitle = {
  recent: 'palette.recent',
  goTo: 'palette.goTo',
  commands: 'palette.commands',
  objects: 'palette.objects',
  views: 'palette.views',
  settings: 'palette.settings',
  records: 'palette.records',
} as const
const sectionIcon = {
  recent: IconHistory,
  goTo: IconArrowRight,
  commands: IconCommand,
  objects: IconTable,
  views: IconLayoutList,
  settings: IconAdjustments,
  records: IconFileText,
} as const
/** Records are asked for when typing pauses. */
const pauseMs = 80
/** Fewer letters are in too many records. */
const leastLetters = 2
const maxRecords = 8
/** The focus is back where it was by then. */
const handoverMs = 20

/** The palette; rendered only while it is open, so every opening starts empty. */
export function CommandPalette() {
  const opened = useUi((state) => state.paletteOpen)
  useReturnedFocus(opened)
  const zIndex = useDialogLayer(opened)
  return (
    <Modal.Root
      opened={opened}
      onClose={() => setPaletteOpen(false)}
      size={560}
      yOffset="10dvh"
      transitionProps={{ duration: 0 }}
      returnFocus={false}
      zIndex={zIndex}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={t('palette.title')}>{opened && <PaletteBody />}</Modal.Content>
    </Modal.Root>
  )
}

function PaletteBody() {
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const entries = usePaletteEntries()
  const records = useRecordEntries(query)
  const found = useMemo(() => arrange(entries, records, query), [entries, records, query])
  const current = found[Math.min(active, found.length - 1)]

  const choose = (entry: PaletteEntry): void => {
    setPaletteOpen(false)
    // After the dialog gave the focus back, so that a command may take it.
    setTimeout(() => entry.run(), handoverMs)
  }

  const moveTo = (index: number): void => {
    const next = (index + found.length) % Math.max(found.length, 1)
    setActive(next)
    list.current?.querySelector(`[data-index="${next}"]`)?.scrollIntoView({ block: 'nearest' })
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = {
      ArrowDown: () => moveTo(active + 1),
      ArrowUp: () => moveTo(active - 1),
      PageDown: () => moveTo(Math.min(active + 8, found.length - 1)),
      PageUp: () => moveTo(Math.max(active - 8, 0)),
      Enter: () => current && choose(current),
    }
    const action = keys[event.key]
    if (!action || event.nativeEvent.isComposing) return
    event.preventDefault()
    action()
  }

  return (
    <div className={classes.body}>
      <input
        className={classes.input}
        role="combobox"
        aria-label={t('palette.placeholder')}
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current ? `${listId}-${current.id}` : undefined}
        placeholder={t('palette.placeholder')}
        data-autofocus
        spellCheck={false}
        autoComplete="off"
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setActive(0)
        }}
        onFocus={() => {
          const early = takeEarlyKeys()
          if (early !== '') setQuery((had) => had + early)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="status" className="cairn-hidden">
        {query !== '' && tn('palette.count', found.length)}
      </div>
      <div ref={list} id={listId} role="listbox" aria-label={t('word.results')} className={classes.list}>
        {found.map((entry, index) => {
          const Icon = sectionIcon[entry.section]
          const isFirst = index === 0 || found[index - 1]?.section !== entry.section
          return (
            <div key={entry.id} role="presentation">
              {isFirst && (
                <div className={classes.section} aria-hidden>
                  {t(sectionTitle[entry.section])}
                </div>
              )}
              <div
                id={`${listId}-${entry.id}`}
                role="option"
                aria-selected={entry === current}
                data-index={index}
                className={classes.option}
                onMouseMove={() => setActive(index)}
                onClick={() => choose(entry)}
              >
                <Icon size={16} aria-hidden className={classes.icon} />
                <span className={classes.label}>
                  <MarkedText text={entry.label} ranges={entry.ranges ?? []} />
                </span>
                {entry.hint && <span className={classes.hint}>{entry.hint}</span>}
                {entry.shortcut && <ShortcutKeys shortcut={entry.shortcut} />}
              </div>
            </div>
          )
        })}
      </div>
      {found.length === 0 && <p className={classes.none}>{t('palette.none', { query })}</p>}
    </div>
  )
}

/** Records with the words, and the way to all of them. */
function useRecordEntries(query: string): PaletteEntry[] {
  const [words] = useDebouncedValue(query.trim(), pauseMs)
  const { data: objects = [] } = useObjects()
  const isAsked = words.length >= leastLetters
  const { data } = useQuery({ ...searchQuery(words, { limit: maxRecords - 1 }), enabled: isAsked })
  return useMemo(() => {
    // Not while there are others in the field: these would be chosen in their place.
    if (!isAsked || words !== query.trim()) return []
    const hits = (data?.results ?? []).map((hit): PaletteEntry => {
      const object = objects.find(({ name }) => name === hit.object)
      return {
        id: `record.${hit.object}.${hit.id}`,
        label: hit.title ?? hit.match?.text ?? t('word.untitled'),
        ranges: hit.title === null ? hit.match?.ranges : hit.titleRanges,
        section: 'records',
        words: '',
        hint: object ? objectLabel(object) : hit.object,
        run: () => navigate(recordPath(hit.object, hit.id)),
      }
    })
    const all: PaletteEntry = {
      id: 'record.all',
      label: t('palette.searchAll', { words }),
      section: 'records',
      words: '',
      run: () => navigate(`/search?${new URLSearchParams({ q: words }).toString()}`),
    }
    return [...hits, all]
  }, [data, objects, words, query, isAsked])
}
