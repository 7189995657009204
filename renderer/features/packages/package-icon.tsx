// Owns the picture of a package: a sign in a colour of its own. A package names its sign; colours follow from its id.
import {
  IconAddressBook,
  IconBooks,
  IconCalendarEvent,
  IconChecklist,
  IconPackage,
  IconPackages,
  IconUserSearch,
} from '@tabler/icons-react'
import type { TablerIcon } from '@tabler/icons-react'
import classes from './packages.module.css'

const icons: Readonly<Record<string, TablerIcon>> = {
  'address-book': IconAddressBook,
  books: IconBooks,
  'calendar-event': IconCalendarEvent,
  checklist: IconChecklist,
  package: IconPackage,
  'user-search': IconUserSearch,
}
const hues = 6

/** The picture. */
export function PackageIcon(props: { id: string; icon: string | undefined }) {
  const Icon = icons[props.icon ?? ''] ?? IconPackages
  const sum = [...props.id].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return (
    <span className={classes.picture} data-hue={sum % hues} aria-hidden>
      <Icon size={28} stroke={1.5} />
    </span>
  )
}
