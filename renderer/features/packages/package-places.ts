// Owns the addresses of packages.

/** The gallery. */
export const galleryPath = '/packages'

/** What is installed. */
export const installedPath = '/packages/installed'

/** A package in the gallery, looked at. */
export function previewPath(packageId: string): string {
  return `${galleryPath}/gallery/${encodeURIComponent(packageId)}`
}

/** An installed package. */
export function installedPackagePath(packageId: string): string {
  return `${installedPath}/${encodeURIComponent(packageId)}`
}
