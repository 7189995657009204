// An installed package as it is shown (D-126). Pure.
import type { PackageRecord, PackageStatus, PackageTrust } from '#shared/contracts/package-parts.ts'
import type { PackageRow } from '../store.ts'
import type { Manifest } from './release.ts'
import type { StoredSettings } from './settings-values.ts'
import { maskedManifest, noSettings, shownSettings } from './settings-values.ts'

/** What an upgrade was, in the history of a package. */
export type HistoryEntry = PackageRecord['upgradeHistory'][number]

/** The members of a row that are JSON. */
export interface PackageDetails {
  readonly manifest: Manifest
  readonly settings: StoredSettings
  /** States of items, as `type/name`, that are not what they usually are. */
  readonly states: Readonly<Record<string, string>>
  readonly history: readonly HistoryEntry[]
}

/** Reads the members of a row that are JSON. */
export function detailsOf(row: PackageRow): PackageDetails {
  return {
    manifest: JSON.parse(row.manifest) as Manifest,
    settings: row.settings === null ? noSettings : (JSON.parse(row.settings) as StoredSettings),
    states: JSON.parse(row.states) as Record<string, string>,
    history: JSON.parse(row.history) as HistoryEntry[],
  }
}

/** A package without what only those may see who manage packages: code, flows, records. */
export function withoutContents(record: PackageRecord): PackageRecord {
  const { metadata: _m, data: _d, functions: _f, translations: _t, ...manifest } = record.manifest
  return { ...record, manifest }
}

/** What a package has in the workspace. */
export interface PackageCounts {
  /** Items by type. */
  readonly items: Readonly<Record<string, number>>
  /** Sample records. */
  readonly samples: number
}

/**
 * Shows a package.
 * @param passing the state it passes through at the moment
 */
export function recordOf(row: PackageRow, { items, samples }: PackageCounts, passing?: PackageStatus): PackageRecord {
  const { manifest, settings, history } = detailsOf(row)
  const status = passing ?? row.status
  return {
    id: row.id,
    name: manifest.name,
    version: row.version,
    namespace: row.namespace,
    type: manifest.type,
    ...(manifest.description === undefined ? {} : { description: manifest.description }),
    manifest: maskedManifest(manifest),
    status,
    enabled: row.status === 'installed' && status !== 'uninstalling',
    installedVersion: row.version,
    ...(row.previous_version === null ? {} : { previousVersion: row.previous_version }),
    installedAt: row.installed_at,
    updatedAt: row.updated_at,
    statusChangedAt: row.status_changed_at,
    ...(row.error_message === null ? {} : { errorMessage: row.error_message }),
    settings: shownSettings(manifest, settings),
    trust: row.trust as PackageTrust,
    registeredNamespaces: [row.namespace],
    upgradeHistory: [...history],
    items: { ...items },
    samples,
  }
}
