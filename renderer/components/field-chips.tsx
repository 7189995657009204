// Owns drawing a value as chips, as the cells of a grid do.
import type { Chip } from '../fields/field-type.ts'

/** The chips in a row. */
export function FieldChips(props: { chips: readonly Chip[]; className?: string | undefined }) {
  return (
    <span className={props.className}>
      {props.chips.map((chip, at) => (
        <span key={at} className={`field-chip ${chip.className}`}>
          {chip.text}
        </span>
      ))}
    </span>
  )
}
