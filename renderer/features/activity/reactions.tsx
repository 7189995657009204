// Owns the reactions to an item: those there are as switches, and choosing another one.
import { ActionIcon, Popover } from '@mantine/core'
import { IconMoodPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { t, tn } from '../../lib/strings.ts'
import type { FeedItem } from './feed-queries.ts'
import classes from './activity.module.css'

const common = ['👍', '❤️', '🎉', '😄', '👀', '🚀', '✅', '🙏'] as const
const shortcode = /^:[a-z0-9_+-]{1,50}:$/
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Whether a text is a reaction the host takes. @source D-140 @internal Seen by tests. */
export function isReaction(text: string): boolean {
  if (shortcode.test(text)) return true
  return text.trim() !== '' && /[^\p{L}\p{N}\s]/u.test(text) && [...graphemes.segment(text)].length === 1
}

/** The reactions. */
export function Reactions(props: { item: FeedItem; onReact: (emoji: string, on: boolean) => void }) {
  const { reactions } = props.item
  if (reactions.length === 0) return null
  return (
    <ul className={classes.reactions} aria-label={t('activity.reactions')}>
      {reactions.map(({ emoji, count, reacted }) => (
        <li key={emoji}>
          <button
            type="button"
            className={classes.reaction}
            aria-pressed={reacted}
            aria-label={tn('activity.reacted', count, { emoji })}
            onClick={() => props.onReact(emoji, !reacted)}
          >
            <span aria-hidden>{emoji}</span> <span aria-hidden>{count}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Choosing a reaction. */
export function ReactionPicker(props: { onReact: (emoji: string) => void }) {
  const [opened, setOpened] = useState(false)
  const [typed, setTyped] = useState('')
  const [refused, setRefused] = useState(false)
  const react = (emoji: string): void => {
    setOpened(false)
    setTyped('')
    props.onReact(emoji)
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      transitionProps={{ duration: 0 }}
      trapFocus
      withinPortal={false}
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={26}
          c="var(--cairn-text-quiet)"
          aria-label={t('activity.react')}
          title={t('activity.react')}
          onClick={() => setOpened(!opened)}
        >
          <IconMoodPlus size={16} stroke={1.75} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('activity.react')} className={classes.picker}>
        <div className={classes.emojis}>
          {common.map((emoji) => (
            <button key={emoji} type="button" className={classes.emoji} onClick={() => react(emoji)}>
              {emoji}
            </button>
          ))}
        </div>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const text = typed.trim()
            if (isReaction(text)) react(text)
            else setRefused(true)
          }}
        >
          <input
            className={classes.choice}
            aria-label={t('activity.react.other')}
            placeholder={t('activity.react.other')}
            aria-invalid={refused || undefined}
            value={typed}
            onChange={(event) => {
              setRefused(false)
              setTyped(event.currentTarget.value)
            }}
          />
          {refused && (
            <p className={classes.problem} role="alert">
              {t('activity.react.refused')}
            </p>
          )}
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
