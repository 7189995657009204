// Owns showing who else is here: initials in a colour of their own, names for readers and on hover.
import { Tooltip } from '@mantine/core'
import { t } from '../lib/strings.ts'
import classes from './presence-avatars.module.css'

const shown = 4

/** Somebody. */
export interface Avatar {
  userId: string
  name: string
  status?: string
}

/** The others on a screen; nothing when one is alone. */
export function PresenceAvatars(props: { members: readonly Avatar[] }) {
  const { members } = props
  if (members.length === 0) return null
  const rest = members.slice(shown)
  return (
    <ul className={classes.list} aria-label={t('presence.here')}>
      {members.slice(0, shown).map((member) => (
        <li key={member.userId} data-away={member.status === 'away' || undefined}>
          <Tooltip label={member.status === 'away' ? t('presence.away', { name: member.name }) : member.name}>
            <span>
              <Initials name={member.name} id={member.userId} />
            </span>
          </Tooltip>
        </li>
      ))}
      {rest.length > 0 && (
        <li>
          <Tooltip label={rest.map(({ name }) => name).join(', ')}>
            <span className={classes.more}>
              <span aria-hidden>+{rest.length}</span>
              <span className="cairn-hidden">{rest.map(({ name }) => name).join(', ')}</span>
            </span>
          </Tooltip>
        </li>
      )}
    </ul>
  )
}

/** A person as initials; the name stays readable for those who do not see them. `quiet` where the name stands beside. */
export function Initials(props: { name: string; id: string; quiet?: boolean }) {
  return (
    <span className={classes.initials} data-hue={hueOf(props.id)}>
      <span aria-hidden>{initialsOf(props.name)}</span>
      {!props.quiet && <span className="cairn-hidden">{props.name}</span>}
    </span>
  )
}

const hues = 6

/** The hue a person has everywhere, one of six. */
export function hueOf(id: string): number {
  let sum = 0
  for (const sign of id) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9973
  return sum % hues
}

/** The first letters of the first and the last word. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const first = [...(words[0] ?? '')][0] ?? '?'
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : ''
  return (first + last).toUpperCase()
}
