// Owns how ways and bodies of a flow are said. Pure.
import { t } from '../../lib/strings.ts'
import { labelOf } from './config-schema.ts'
import type { DraftEdge } from './flow-draft.ts'

/** The condition of a way as it is written; it may also stand in an object. */
export function conditionOf({ condition }: Pick<DraftEdge, 'condition'>): string {
  if (typeof condition === 'string') return condition
  const source = typeof condition === 'object' && condition !== null ? (condition as { source?: unknown }).source : ''
  return typeof source === 'string' ? source : ''
}

/** When a way is taken, in a few words; '' for the usual one. */
export function wayLabel(edge: DraftEdge): string {
  if (edge.type === 'fault') return t('design.way.short.fault')
  return edge.label ?? conditionOf(edge)
}

/** When a way is taken and where it leads. */
export function wayText(edge: DraftEdge, target: string): string {
  if (edge.type === 'fault') return t('design.way.fault', { target })
  const said = wayLabel(edge)
  return said === '' ? t('design.way.else', { target }) : t('design.way.if', { condition: said, target })
}

/** What a body is called: a branch by its name, others by their place. */
export function bodyLabel(place: string, name: string | undefined): string {
  return name === undefined ? labelOf(place) : t('design.branch.named', { branch: name })
}
