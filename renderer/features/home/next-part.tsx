// Owns what to do after the first table is there, until somebody says that they know.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { discoveryQuery } from '../../lib/discovery.ts'
import { useMay } from '../../lib/own-rights.ts'
import { readStored, writeStored } from '../../lib/storage.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './home-screen.module.css'

/** More than these were made by somebody who knows the way. */
const maxObjects = 2

/** The part; nothing once it was put away, or with more than two objects. */
export function NextPart(props: { objects: readonly ObjectItem[] }) {
  const [isHidden, setHidden] = useState(readStored('next') === 'hidden')
  const { data: manifest } = useQuery(discoveryQuery)
  const mayDesign = useMay('manage_metadata') === true
  const mayInvite = useMay('manage_users') === true
  const mayRestore = useMay('restore_backups') === true
  const [first] = props.objects
  if (isHidden || first === undefined || props.objects.length > maxObjects) return null
  const object = objectPluralLabel(first)
  const steps = [
    mayDesign && { path: `/objects/${first.name}`, text: t('home.next.fields', { object }) },
    { path: `/o/${first.name}`, text: t('home.next.view', { object }) },
    mayDesign && { path: '/dashboards', text: t('home.next.dashboard', { object }) },
    mayInvite && { path: '/access', text: t('home.next.people') },
    manifest?.routes.sync != null && { path: '/sync', text: t('home.next.device') },
    mayRestore && { path: '/backups', text: t('home.next.backup') },
  ].filter((step) => step !== false)
  return (
    <section className={classes.next}>
      <div className={parts.head}>
        <h2>{t('home.next')}</h2>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            writeStored('next', 'hidden')
            setHidden(true)
          }}
        >
          {t('home.next.hide')}
        </Button>
      </div>
      <ul className={parts.links}>
        {steps.map(({ path, text }) => (
          <li key={path}>
            <a href={`#${path}`} className={parts.link}>
              {text}
            </a>
          </li>
        ))}
        <li className={classes.quiet}>{t('home.next.keys')}</li>
      </ul>
    </section>
  )
}
