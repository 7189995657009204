// Owns which groups are open, kept per object and grouping in the browser.
import { useCallback, useMemo, useState } from 'react'
import { readStored, writeStored } from '../../lib/storage.ts'
import type { GroupNode } from './group-tree.ts'
import { termWord } from './group-terms.ts'
import type { GroupTerm } from './group-terms.ts'

/** More groups than this begin closed: what is wanted of many groups is an overview. */
const openAtFirst = 50
/** Groups that are remembered one by one, and groupings of an object. */
const maxFlips = 1_000
const maxGroupings = 8

interface Choice {
  /** What groups are that nobody has touched. */
  open: boolean
  /** Keys of the groups that are the other way. */
  flips: readonly string[]
}

type Choices = Readonly<Record<string, Choice>>

/** Which groups are open, and changing it. */
export interface OpenGroups {
  isOpen(node: GroupNode): boolean
  toggle(key: string, open: boolean): void
  toggleAll(open: boolean): void
}

/** The open groups of a grouping of `count` groups. */
export function useOpenGroups(object: string, terms: readonly GroupTerm[], count: number): OpenGroups {
  const grouping = terms.map(termWord).join(',')
  const stored = useMemo(() => readChoices(object), [object])
  const [changed, setChanged] = useState<{ object: string; choices: Choices }>()
  const choices = changed?.object === object ? changed.choices : stored
  const startsOpen = count <= openAtFirst
  const choice = useMemo<Choice>(
    () => choices[grouping] ?? { open: startsOpen, flips: [] },
    [choices, grouping, startsOpen],
  )

  const change = useCallback(
    (next: Choice): void => {
      const others = Object.entries(choices).filter(([name]) => name !== grouping)
      const kept = Object.fromEntries([...others.slice(-maxGroupings + 1), [grouping, next]])
      writeStored(`groups.${object}`, JSON.stringify(kept))
      setChanged({ object, choices: kept })
    },
    [object, grouping, choices],
  )
  const toggle = useCallback(
    (key: string, open: boolean): void => {
      const flips = choice.flips.filter((flip) => flip !== key)
      change({ ...choice, flips: open === choice.open ? flips : [...flips, key].slice(-maxFlips) })
    },
    [change, choice],
  )
  const toggleAll = useCallback((open: boolean): void => change({ open, flips: [] }), [change])
  const isOpen = useMemo(() => {
    const flips = new Set(choice.flips)
    return ({ key }: GroupNode): boolean => flips.has(key) !== choice.open
  }, [choice])
  return { isOpen, toggle, toggleAll }
}

function readChoices(object: string): Choices {
  try {
    const stored: unknown = JSON.parse(readStored(`groups.${object}`) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    return Object.fromEntries(
      Object.entries(stored).flatMap(([grouping, choice]: [string, Partial<Choice> | null]) =>
        typeof choice?.open === 'boolean' && Array.isArray(choice.flips)
          ? [[grouping, { open: choice.open, flips: choice.flips.filter((flip) => typeof flip === 'string') }]]
          : [],
      ),
    )
  } catch {
    return {} // damaged: groups begin as their number decides
  }
}
