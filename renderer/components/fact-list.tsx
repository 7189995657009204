// Owns showing facts about one thing: a name and a value each.
import type { ReactNode } from 'react'
import parts from './parts.module.css'

/** A fact: its name and what is so. */
export type Fact = readonly [label: string, value: ReactNode]

/** The list, in the order given. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={parts.facts}>
      {facts.map(([label, value]) => (
        <div key={label} style={{ display: 'contents' }}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
