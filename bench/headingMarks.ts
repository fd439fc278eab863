/** Lines (from 1) at which the headings of public SOPs stand, marked by hand: no words of theirs, only places. */

export interface HeadingMarks {
  readonly file: string;
  /** Of the file that was marked: another version has its headings elsewhere. */
  readonly sha256: string;
  /** Lines of major sections, also where the text goes on in the heading's line. */
  readonly major: readonly number[];
  /** Lines of headings below them: lettered and numbered parts, labels alone on their line. */
  readonly minor: readonly number[];
  /** Labels in the line of their text and lines of a signature form: one reads them as headings, another not. */
  readonly either?: readonly number[];
}

export const HEADING_MARKS: readonly HeadingMarks[] = [
  {
    file: 'BACLOFEN_SERUM.txt',
    sha256: '5154dbadc57a4779228a4a149e80fd3d10700fffee9901e62529636212ac5bb3',
    major: [4, 10, 23, 41, 85, 92, 99, 102, 107, 113, 118],
    minor: [11, 13, 15, 19, 24, 30, 36, 42, 50, 56, 65, 79],
  },
  {
    file: 'MARJORAM_IGE_SERUM.txt',
    sha256: '0415d1cfc91224e1541447a540cd3d98418a46f0486500b0bf5798b8bd0a83f3',
    major: [3, 6, 8, 10, 13, 17, 22, 42, 48, 51, 55, 59, 62, 66],
    minor: [23, 27, 32, 36],
  },
  {
    file: 'CHICKEN_SERUM_PROTEINS_IGE_SERUM.txt',
    sha256: 'b69ce7d0021b3698b0418d27e8a2f39cdb5b9271d6f2e808a5c4d12ec3cb0483',
    major: [4, 8, 13, 18, 25, 29, 53, 58, 64, 69, 73],
    minor: [30, 34, 41],
  },
  {
    file: 'ALPORT_SYNDROME_GENE_PANEL_VARIES.txt',
    sha256: '9fa4fe77cc4ca24d67a8be6126f3354da5901b0f295b2d3c1d8dbdb7f485fa19',
    major: [3, 14, 18, 87, 94, 99],
    minor: [8, 19, 30, 37, 38, 44, 52, 59, 67, 73, 81],
  },
  {
    file: 'BACTERIAL_VAGINOSIS_STAIN.txt',
    sha256: 'e6435ef28841fed07ecd5311dd1e7801aba91fe61715967aaa5b0223cbcd62a0',
    major: [3, 12, 16, 24, 57, 70, 74, 77, 80],
    minor: [25, 31, 41, 49, 58, 65],
    either: [8],
  },
  {
    file: 'URIC_ACID_URINE_RANDOM.txt',
    sha256: '81f481fc513a3c82adc1f45a1eb0907d79b66ca998172e1b3ad4292a26870e67',
    major: [3, 7, 10, 14, 20, 32, 46, 76, 81, 86, 92, 96],
    minor: [21, 25, 33, 37, 42, 47, 53, 65, 71],
  },
  {
    file: 'ORTHOPEDIA_HOMEOBOX_PROTEIN_OTP_IMMUNOSTAIN_TECHNICAL_COMPONENT_ONLY.txt',
    sha256: 'd11ac44df838ccb59d36ff31f4f215c9e366d29410755ca1e1c52bf1b6f14bca',
    major: [4, 16, 21, 29, 44, 50, 90, 96, 101, 107],
    minor: [10, 26, 39, 51, 56, 61, 70, 83],
  },
  {
    file: 'CHRONIC_HEPATITIS_B_MONITORING_PROFILE_SERUM.txt',
    sha256: '4a6b825b3c0ea1aea84e773a5c0aa471bde3a64bccb98afacf075f112fc7a15e',
    major: [3, 8, 12, 17, 25, 35, 45, 78, 85, 93, 97, 101, 105],
    minor: [46, 50, 58, 68],
    either: [109, 111, 112, 113],
  },
  {
    file: 'METHYLMALONIC_ACIDURIA-PROPIONIC_ACIDURIA_COMBINED_GENE_PANEL_VARIES.txt',
    sha256: '2220c5a244b397a4bc592ac38028defa91bd41297947c2d64189f6178534c976',
    major: [5, 11, 17, 39, 51, 58, 73, 82, 91, 103, 112],
    minor: [18, 29, 40, 46, 67, 96, 104, 109],
  },
  {
    file: 'MYOGLOBIN_PLASMA.txt',
    sha256: '96c784b3d8ff26d06788636dc22e09ccf9e70819856f5c17bf80a3fb7f353bce',
    major: [2, 10, 27, 34, 68, 72, 78, 84],
    minor: [5, 11, 16, 22, 35, 43, 52, 61],
  },
  {
    file: 'PLATINUM_SERUM.txt',
    sha256: '9db375f09f8f32ecd04ca5dffb4362ace67542e78622263226cf78ae929d8a73',
    major: [3, 12, 24, 35, 62, 73, 82],
    minor: [17, 30, 46, 53, 68],
    either: [8],
  },
  {
    file: 'ABPA_ALLERGIC_BRONCHOPULMONARY_ASPERGILLOSIS_CASCADE.txt',
    sha256: 'e73f469fa95c092436a1f2d336a727f8b2d04226215088d0b155c1809cdd0dde',
    major: [1, 7, 16, 24, 68, 72, 75],
    minor: [10, 25, 31, 36, 46, 51, 58, 63],
  },
  {
    file: 'MITRAGYNINE_CONFIRMATION_QUALITATIVE_UMBILICAL_CORD_TISSUE.txt',
    sha256: 'fabfe712aacf8f131aa72e248c618097ac09a5968df1f0ceee939f2999eb54fb',
    major: [1, 8, 14, 23, 41, 75, 82, 90, 94],
    minor: [15, 18, 24, 29, 35, 42, 62],
  },
];
