// Owns the palette: one field that finds commands, screens and objects by any of their words.
import { IconArrowRight, IconCommand, IconTable } from '@tabler/icons-react'
import { Modal } from '@mantine/core'
import { useId, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { ShortcutKeys } from '../components/shortcut-keys.tsx'
import { objectLabel, useObjects } from '../features/objects/index.ts'
import { useCommandList } from '../lib/commands.ts'
import { navigate } from '../lib/hash-location.ts'
import { t, tn } from '../lib/strings.ts'
import classes from './command-palette.module.css'
import { setPaletteOpen, useUi } from './ui-state.ts'

interface Entry {
  id: string
  label: string
  section: 'goTo' | 'commands' | 'objects'
  words: string
  hint?: string
  shortcut?: string
  run(): void
}

const sectionTitle = { goTo: 'palette.goTo', commands: 'palette.commands', objects: 'palette.objects' } as const
const sectionIcon = { goTo: IconArrowRight, commands: IconCommand, objects: IconTable } as const
const maxShown = 50

/** The palette; rendered only while it is open, so every opening starts empty. */
export function CommandPalette() {
  const opened = useUi((state) => state.paletteOpen)
  return (
    <Modal.Root
      opened={opened}
      onClose={() => setPaletteOpen(false)}
      size={560}
      yOffset="10dvh"
      transitionProps={{ duration: 0 }}
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
  const entries = useEntries()
  const found = useMemo(() => search(entries, query), [entries, query])
  const current = found[Math.min(active, found.length - 1)]

  const choose = (entry: Entry): void => {
    setPaletteOpen(false)
    // After the dialog gave the focus back, so that a command may take it.
    setTimeout(() => entry.run())
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
        onKeyDown={onKeyDown}
      />
      <div role="status" className="cairn-hidden">
        {query !== '' && tn('palette.count', found.length)}
      </div>
      <div ref={list} id={listId} role="listbox" aria-label={t('palette.results')} className={classes.list}>
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
                <span className={classes.label}>{entry.label}</span>
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

function useEntries(): Entry[] {
  const commands = useCommandList()
  const { data: objects = [] } = useObjects()
  return useMemo(() => {
    const runnable = commands.filter((command) => command.enabled !== false && !command.shortcutOnly)
    const ofGroup = (navigation: boolean): Entry[] =>
      runnable
        .filter((command) => (command.group === 'navigation') === navigation)
        .map((command) => ({
          id: command.id,
          label: command.label,
          section: navigation ? ('goTo' as const) : ('commands' as const),
          words: `${command.label} ${command.keywords ?? ''}`,
          shortcut: command.shortcut,
          run: command.run,
        }))
    return [
      ...objects.map((object) => ({
        id: `object.${object.name}`,
        label: objectLabel(object),
        section: 'objects' as const,
        words: `${objectLabel(object)} ${object.name} ${object.pluralLabel ?? ''}`,
        hint: object.name,
        run: () => navigate(`/o/${object.name}`),
      })),
      ...ofGroup(true),
      ...ofGroup(false),
    ]
  }, [commands, objects])
}

function search(entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter((entry) => words.every((word) => entry.words.toLowerCase().includes(word))).slice(0, maxShown)
}
