// Owns a text area in which people can be named: an @ offers them, arrows choose, Enter or Tab puts the name in.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { Initials } from '../../components/presence-avatars.tsx'
import { isApple } from '../../lib/shortcuts.ts'
import { t, tn } from '../../lib/strings.ts'
import { freeName, insertMention, mentionAt } from './mention-text.ts'
import type { MentionQuery, MentionedPeople } from './mention-text.ts'
import { matchingPeople } from './use-people.ts'
import type { Person } from './use-people.ts'
import classes from './activity.module.css'

/** A text with the people named in it. */
export interface MentionDraft {
  text: string
  people: MentionedPeople
}

/** The text area. */
export function MentionArea(props: {
  label: string
  placeholder?: string
  draft: MentionDraft
  people: readonly Person[]
  area: RefObject<HTMLTextAreaElement | null>
  invalid: boolean
  describedBy?: string | undefined
  autoFocus?: boolean
  onDraft: (draft: MentionDraft) => void
  /** Ctrl+Enter. */
  onSubmit: () => void
  /** Escape with nothing open. */
  onCancel?: () => void
}) {
  const { draft, area, autoFocus = false } = props
  const id = useId()
  const [query, setQuery] = useState<MentionQuery>()
  const [position, setPosition] = useState(0)
  /** Place of an @ whose list was closed. */
  const closed = useRef<number>(undefined)
  /** Where the caret belongs once the chosen name is in the text. */
  const caret = useRef<number>(undefined)
  const choices = query ? matchingPeople(props.people, query.text) : []
  const isOpen = choices.length > 0
  const highlighted = choices[Math.min(position, choices.length - 1)]

  useEffect(() => {
    // A text that is taken up again goes on at its end.
    if (autoFocus) area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [area, autoFocus])

  // Before the next key: it belongs behind the name, and the caret would be at the end of the text.
  useLayoutEffect(() => {
    if (caret.current === undefined) return
    area.current?.focus()
    area.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  }, [area, draft.text])

  const look = (): void => {
    const element = area.current
    if (!element) return
    const found = mentionAt(element.value, element.selectionStart)
    if (found?.start !== closed.current) closed.current = undefined
    setQuery(found && found.start !== closed.current ? found : undefined)
  }
  const choose = (person: Person): void => {
    if (!query) return
    const name = freeName(person.name, person.id, draft.people)
    const next = insertMention(draft.text, query, name)
    props.onDraft({ text: next.text, people: new Map(draft.people).set(name, person.id) })
    setQuery(undefined)
    setPosition(0)
    caret.current = next.caret
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && (isApple ? event.metaKey : event.ctrlKey)) {
      event.preventDefault()
      props.onSubmit()
    } else if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      setPosition((last) => (Math.min(last, choices.length - 1) + step + choices.length) % choices.length)
    } else if (isOpen && highlighted && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault()
      choose(highlighted)
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      closed.current = query?.start
      setQuery(undefined)
    } else if (event.key === 'Escape' && props.onCancel) {
      event.preventDefault()
      props.onCancel()
    }
  }

  return (
    <div className={classes.area}>
      <textarea
        ref={area}
        className={classes.text}
        rows={3}
        aria-haspopup={isOpen ? 'listbox' : undefined}
        aria-controls={isOpen ? `${id}-people` : undefined}
        aria-activedescendant={isOpen && highlighted ? `${id}-${highlighted.id}` : undefined}
        aria-autocomplete="list"
        aria-label={props.label}
        aria-invalid={props.invalid || undefined}
        aria-describedby={props.describedBy}
        placeholder={props.placeholder}
        autoFocus={autoFocus}
        value={draft.text}
        onChange={(event) => {
          props.onDraft({ ...draft, text: event.currentTarget.value })
          look()
        }}
        onSelect={look}
        onBlur={() => setQuery(undefined)}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <ul id={`${id}-people`} role="listbox" aria-label={t('word.people')} className={classes.people}>
          {choices.map((person) => (
            <li
              key={person.id}
              id={`${id}-${person.id}`}
              role="option"
              aria-selected={person === highlighted}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(person)}
            >
              <Initials name={person.name} id={person.id} quiet /> {person.name}
            </li>
          ))}
        </ul>
      )}
      <span className="cairn-hidden" role="status">
        {isOpen && tn('activity.people.found', choices.length)}
      </span>
    </div>
  )
}
