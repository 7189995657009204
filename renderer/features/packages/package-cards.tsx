// Owns packages as cards that lead to what they would add.
import { t } from '../../lib/strings.ts'
import { PackageIcon } from './package-icon.tsx'
import { installedPackagePath, previewPath } from './package-places.ts'
import type { AvailablePackage } from './package-queries.ts'
import { isNewer } from './package-words.ts'
import parts from '../../components/parts.module.css'
import classes from './packages.module.css'

/** The cards of a list that has a name. */
export function PackageCards(props: { label: string; packages: readonly AvailablePackage[] }) {
  return (
    <ul className={classes.cards} aria-label={props.label}>
      {props.packages.map((one) => (
        <li key={one.artifactRef}>
          <Card one={one} />
        </li>
      ))}
    </ul>
  )
}

function Card({ one }: { one: AvailablePackage }) {
  const { packageId, name, version, installedVersion } = one
  const isNew = installedVersion !== undefined && isNewer(version, installedVersion)
  // What is installed is looked at where one can do something about it.
  const href = installedVersion === undefined ? previewPath(packageId) : installedPackagePath(packageId)
  return (
    <a href={`#${href}`} className={classes.card}>
      <PackageIcon id={packageId} icon={one.icon} />
      <span className={classes.words}>
        <span className={classes.name}>
          {name}{' '}
          {installedVersion !== undefined && (
            <span className={parts.badge} data-tone={isNew ? 'warn' : undefined}>
              {isNew ? t('word.upgradeTo', { version }) : t('word.installed')}
            </span>
          )}
        </span>
        {one.description !== undefined && <span className={classes.text}>{one.description}</span>}
      </span>
    </a>
  )
}
