// Owns the ways back on home: what is pinned, and what was opened last with the way to pin it.
import { ActionIcon } from '@mantine/core'
import { IconPin, IconPinFilled } from '@tabler/icons-react'
import { togglePin, usePins, useRecents } from '../../lib/recents.ts'
import type { Place } from '../../lib/recents.ts'
import { t } from '../../lib/strings.ts'
import classes from './home-screen.module.css'

/** Places shown of what was opened last. */
const shown = 6

/** The part; nothing while no place is known. */
export function PlacesPart() {
  const pins = usePins()
  const recents = useRecents()
  const pinned = new Set(pins.map(({ path }) => path))
  const others = recents.filter(({ path }) => !pinned.has(path)).slice(0, shown)
  return (
    <>
      <Places title={t('word.pinned')} places={pins} isPinned />
      <Places title={t('home.recents')} places={others} isPinned={false} />
    </>
  )
}

function Places(props: { title: string; places: readonly Place[]; isPinned: boolean }) {
  if (props.places.length === 0) return null
  const Icon = props.isPinned ? IconPinFilled : IconPin
  return (
    <section>
      <h2 className={classes.heading}>{props.title}</h2>
      <ul className={classes.places}>
        {props.places.map((place) => (
          <li key={place.path} className={classes.place}>
            <a href={`#${place.path}`}>{place.label}</a>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t(props.isPinned ? 'home.unpin' : 'home.pin', { label: place.label })}
              onClick={() => togglePin(place)}
            >
              <Icon size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </section>
  )
}
