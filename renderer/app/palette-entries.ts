// Owns what the palette finds besides records: commands, screens, objects, their views, dashboards, settings, and what was opened
// last; and the order of all of it.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { dashboardPath, dashboardsQuery } from '../features/dashboards/index.ts'
import { objectLabel, objectPluralLabel, useObjects } from '../features/objects/index.ts'
import { call } from '../lib/api-client.ts'
import { useCommandList } from '../lib/commands.ts'
import { navigate } from '../lib/hash-location.ts'
import { usePins, useRecents } from '../lib/recents.ts'
import { t } from '../lib/strings.ts'

/** A part of the palette, in the order of an empty search. */
export type PaletteSection = 'recent' | 'objects' | 'goTo' | 'commands' | 'views' | 'settings' | 'records'

/** One line of the palette. */
export interface PaletteEntry {
  id: string
  label: string
  section: PaletteSection
  /** What it is found by, lower case. */
  words: string
  hint?: string | undefined
  shortcut?: string | undefined
  /** Where the words of the search are in the label; of records. */
  ranges?: readonly (readonly number[])[]
  run(): void
}

const maxOfSection = 8
const maxCommands = 50

/** Everything but records. */
export function usePaletteEntries(): PaletteEntry[] {
  const commands = useCommandList()
  const recents = useRecents()
  const pins = usePins()
  const { data: objects = [] } = useObjects()
  const { data: views = [] } = useQuery({
    queryKey: ['palette', 'views'] as const,
    queryFn: async ({ signal }) => (await call('listViews', { query: { type: 'list' }, signal })).views,
    staleTime: 30_000,
    retry: false,
  })
  const { data: dashboards = [] } = useQuery({ ...dashboardsQuery, staleTime: 30_000, retry: false })
  const { data: settings = [] } = useQuery({
    queryKey: ['palette', 'settings'] as const,
    // Their words come with the screen of settings.
    queryFn: async () => (await import('../features/settings/setting-list.ts')).settingEntries(),
    staleTime: Infinity,
  })
  return useMemo(() => {
    const runnable = commands.filter((command) => command.enabled !== false && !command.shortcutOnly)
    const ofGroup = (navigation: boolean): PaletteEntry[] =>
      runnable
        .filter((command) => (command.group === 'navigation') === navigation)
        .map((command) => ({
          id: command.id,
          label: command.label,
          section: navigation ? ('goTo' as const) : ('commands' as const),
          words: `${command.label} ${command.keywords ?? ''}`.toLowerCase(),
          shortcut: command.shortcut,
          run: command.run,
        }))
    const pinned = new Set(pins.map(({ path }) => path))
    return [
      ...[...pins, ...recents.filter(({ path }) => !pinned.has(path))].map(({ path, label }) => ({
        id: `recent.${path}`,
        label,
        section: 'recent' as const,
        words: label.toLowerCase(),
        run: () => navigate(path),
      })),
      ...objects.map((object) => ({
        id: `object.${object.name}`,
        label: objectLabel(object),
        section: 'objects' as const,
        words: `${objectLabel(object)} ${object.name} ${object.pluralLabel ?? ''}`.toLowerCase(),
        hint: object.name,
        run: () => navigate(`/o/${object.name}`),
      })),
      ...ofGroup(true),
      ...ofGroup(false),
      ...views.flatMap((view): PaletteEntry[] => {
        const object = objects.find(({ name }) => name === view.object)
        if (!object || view.hidden === true) return []
        return [
          {
            id: `view.${view.id}`,
            label: view.label,
            section: 'views',
            words: `${view.label} ${objectPluralLabel(object)}`.toLowerCase(),
            hint: objectPluralLabel(object),
            run: () => navigate(`/o/${object.name}?v=${encodeURIComponent(view.id)}`),
          },
        ]
      }),
      ...dashboards.map(({ name, label }) => ({
        id: `dashboard.${name}`,
        label,
        section: 'views' as const,
        words: `${label} ${t('word.dashboards')}`.toLowerCase(),
        hint: t('word.dashboards'),
        run: () => navigate(dashboardPath(name)),
      })),
      ...settings.map(({ name, label, words, path }) => ({
        id: `setting.${name}`,
        label,
        section: 'settings' as const,
        words,
        run: () => navigate(path),
      })),
    ]
  }, [commands, objects, views, dashboards, settings, recents, pins])
}

/**
 * What the palette shows for some words: without any, what was opened last, then objects, screens and commands; with
 * words, the parts in the order of the best each has. Records are as the host ranked them.
 */
export function arrange(
  entries: readonly PaletteEntry[],
  records: readonly PaletteEntry[],
  query: string,
): PaletteEntry[] {
  const text = query.trim().toLowerCase()
  const words = text.split(/\s+/).filter(Boolean)
  if (words.length === 0) {
    const shown = entries.filter(({ section }) => section !== 'views' && section !== 'settings')
    return capped(shown, new Set(['commands', 'goTo', 'objects'])).slice(0, maxCommands)
  }
  const found = entries
    .filter((entry) => words.every((word) => entry.words.includes(word)))
    .map((entry) => ({ entry, rank: rankOf(entry, text, words) }))
    .toSorted((a, b) => a.rank - b.rank)
  const best = new Map<PaletteSection, number>()
  for (const { entry, rank } of found) if (!best.has(entry.section)) best.set(entry.section, rank)
  if (records[0]) best.set('records', rankOf(records[0], text, words))
  const order = [...best].toSorted((a, b) => a[1] - b[1]).map(([section]) => section)
  const all = [...found.map(({ entry }) => entry), ...records]
  return order.flatMap((section) => all.filter((entry) => entry.section === section).slice(0, maxOfSection))
}

/** 0 the same, 1 begins with the words, 2 has a word that begins with them, 3 has them somewhere, 4 by other words. */
function rankOf({ label }: PaletteEntry, text: string, words: readonly string[]): number {
  const lower = label.toLowerCase()
  if (lower === text) return 0
  if (lower.startsWith(text)) return 1
  const own = lower.split(/[^\p{L}\p{N}]+/u)
  if (words.every((word) => own.some((each) => each.startsWith(word)))) return 2
  return words.every((word) => lower.includes(word)) ? 3 : 4
}

function capped(entries: readonly PaletteEntry[], whole: ReadonlySet<PaletteSection>): PaletteEntry[] {
  const counts = new Map<PaletteSection, number>()
  return entries.filter(({ section }) => {
    const count = (counts.get(section) ?? 0) + 1
    counts.set(section, count)
    return whole.has(section) || count <= maxOfSection
  })
}
