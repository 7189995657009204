// Owns typing text that names things: names that fit are offered below it. Arrows choose, Enter and Tab take one, Escape
// closes, Control with the space bar opens.
import { TextInput, Textarea } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import type { KeyboardEvent, Ref } from 'react'
import { placeCaret } from '../lib/place-caret.ts'
import { t, tn } from '../lib/strings.ts'
import { completionAt } from './complete-expression.ts'
import type { Completion, ExpressionName } from './complete-expression.ts'
import classes from './expression-field.module.css'

type Element = HTMLTextAreaElement | HTMLInputElement

/** What a field for expressions shows; `lines` makes it one of several lines. */
export interface ExpressionFieldProps {
  label?: string
  'aria-label'?: string
  description?: string | undefined
  placeholder?: string
  error?: string | undefined
  withAsterisk?: boolean
  className?: string | undefined
  lines?: { readonly min: number; readonly max?: number }
  isMonospace?: boolean
  value: string
  names: readonly ExpressionName[]
  /** Whether expressions stand in double braces. */
  isText?: boolean
  elementRef?: Ref<HTMLTextAreaElement>
  onChange: (text: string) => void
}

/** The field. */
export function ExpressionField(props: ExpressionFieldProps) {
  const { value, names, isText = false, lines, isMonospace, elementRef, className, onChange, ...shown } = props
  const id = useId()
  const element = useRef<Element>(null)
  const [found, setFound] = useState<Completion>()
  const [at, setAt] = useState(0)
  const look = (target: Element, text: string, isAsked = false): void => {
    element.current = target
    setAt(0)
    setFound(completionAt(text, target.selectionStart ?? text.length, names, { isText, isAsked }))
  }
  const take = ({ text }: ExpressionName): void => {
    const target = element.current
    if (!target || !found) return
    const end = target.selectionStart ?? value.length
    placeCaret(target, found.from + text.length, () => {
      onChange(value.slice(0, found.from) + text + value.slice(end))
      setFound(undefined)
    })
  }
  const onKeyDown = (event: KeyboardEvent<Element>): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      look(event.currentTarget, value, true)
    } else if (found) {
      const by = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key]
      const isTaken = event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)
      if (by === undefined && !isTaken && event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      if (by !== undefined) setAt((at + by + found.names.length) % found.names.length)
      else if (isTaken) take(found.names[at]!)
      else setFound(undefined)
    }
  }
  const field = {
    ...shown,
    value,
    autoComplete: 'off',
    spellCheck: false,
    'aria-autocomplete': 'list' as const,
    'aria-controls': found ? `${id}-names` : undefined,
    'aria-activedescendant': found ? `${id}-${at}` : undefined,
    ...(isMonospace ? { styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } } : {}),
    onKeyDown,
    onBlur: () => setFound(undefined),
    onClick: () => setFound(undefined),
  }
  const typed = (target: Element): void => {
    onChange(target.value)
    look(target, target.value)
  }
  return (
    <div className={`${classes.field} ${className ?? ''}`}>
      {lines ? (
        <Textarea
          {...field}
          ref={elementRef}
          autosize
          minRows={lines.min}
          {...(lines.max === undefined ? {} : { maxRows: lines.max })}
          onChange={(event) => typed(event.currentTarget)}
        />
      ) : (
        <TextInput {...field} onChange={(event) => typed(event.currentTarget)} />
      )}
      {found && (
        <ul id={`${id}-names`} className={classes.names} role="listbox" aria-label={t('setting.expression.names')}>
          {found.names.map((name, index) => (
            <li
              key={name.text}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              className={classes.name}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(name)}
            >
              <code>{name.text}</code>
              <span>{name.label}</span>
            </li>
          ))}
        </ul>
      )}
      <span className="cairn-hidden" role="status">
        {found ? tn('setting.expression.found', found.names.length) : ''}
      </span>
    </div>
  )
}
