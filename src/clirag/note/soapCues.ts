/** Words that tell where a sentence belongs in a SOAP note and how much it matters: data, not code. */

import type { NoteType, SoapPart } from '../../core/types.js';

export interface SoapCue {
  readonly part: SoapPart;
  readonly weight: number;
  readonly pattern: RegExp;
}

/** Words that open an order: alternatives of a pattern. */
export const ORDER_VERBS =
  'continue|start|begin|stop|hold|restart|resume|d/?c|discontinue|repeat(?!\s+(?:drawn|view|sample|specimen|\w+\s+(?:drawn|was|came)))|recheck|check|wean|consider|consult|keep|monitor|follow|trend|goal|plan|recommend|suggest|avoid|advance|replete|transfuse|give|change|switch|increase|decrease|reduce|obtain|send|order|add|titrate|maintain|encourage|transfer|call|notify|please|will|taper|extubate|place|remove|no (?:further|more|heparin|anticoag|NSAIDs?)|NPO|await|follow-up|f/u|pull|turn|do not|ok to|may|ask|dose|defer|supplement|limit|use|target|finish|complete|discharge|home|return|full code|DNR';

const PROBLEM_KINDS = String.raw`acute|chronic|new(?:-onset)?|severe|mild|moderate|complicated|left|right|likely|probable|possible|resolv(?:ed|ing)|worsening|improving|hepatic|esophageal|ongoing|persistent|mixed|alcohol|septic|hypox(?:em)?ic|hypercapnic|respiratory|heart|renal|liver|urinary|wound|pressure|aspiration|community-acquired|diabetic|upper|lower|post-?op(?:erative)?|s\/p|grade [IVX\d]+`;
/** Names of problems: alternatives of a pattern. */
export const PROBLEMS = String.raw`sepsis|shock|AKI|CKD|ATN|(?:resp(?:iratory)?|renal|heart|liver|kidney) failure|failure|hypercapn\w+|hypox\w+|pneumonia|PNA|empyema|encephalopathy|withdrawal|delirium|DTs?|DKA|osteomyelitis|cirrhosis|ascites|h(?:a)?emorrhage|bleed(?:ing)?|malnutrition|dysphagia|an(?:a)?emia|hyperbilirubinemia|jaundice|apnea|bacteremia|COPD|asthma|effusion|edema|hypo\w+emia|hyper\w+emia|hypo(?:tension|thermia)|hypertension|HTN|AF|afib|atrial (?:fibrillation|flutter)|(?:G|UG|LG)I ?B(?:leed)?|variceal|laceration|fractures?|tachy(?:cardia|pnea)|bradycardia|infection|cellulitis|abscess|ulcer|UTI|cancer|carcinoma|malignancy|metastas[ei]s|nodule|mass|pneumothorax|PTX|hemothorax|PE|DVT|ischemia|NSTEMI|STEMI|MI|CHF|CAD|stroke|CVA|seizures?|coagulopathy|thrombocytopenia|leukocytosis|neutropenia|pancreatitis|cholangitis|cholecystitis|colitis|ileus|obstruction|SBO|acidosis|alkalosis|rhabdo\w*|endocarditis|meningitis|ARDS|prematurity|respiratory distress|PDA|diabetes|DM2?`;

/** A sentence that begins with the name of a problem, perhaps with its kind. */
export const DIAGNOSIS = new RegExp(
  String.raw`^(?:\W|\d+[.)]\s)*(?:(?:${PROBLEM_KINDS})\s+)*(?:${PROBLEMS})\b`,
  'iu',
);
/** Nothing but the name of a problem that the table may not know: `Left carpal tunnel syndrome`. */
export const ENDS_AS_DIAGNOSIS = /^\W*(?:\p{L}+ ){0,5}(?:syndrome|\p{L}{3,}itis)\W*$/iu;
/** One that speaks of a problem anywhere, and does not deny it at its beginning. */
export const NAMES_PROBLEM = new RegExp(String.raw`^(?!\W*no\b).*\b(?:${PROBLEMS})\b`, 'iu');

/** All that match count; the part with the highest sum wins. */
export const SOAP_CUES: readonly SoapCue[] = [
  {
    part: 'P',
    weight: 3,
    pattern:
      /\b(?:tomorrow|in the morning|tonight|non-?weight-?bearing|NWB|stays? NPO|NPO (?:after|from|until)|one more|days? (?:more|total)|course|through \d|until)\b/iu,
  },
  {
    part: 'S',
    weight: 5,
    pattern:
      /\b(?:pain[^.;]{0,25}\b\d\/10(?!\/)|(?<![\d/])\d\/10[^.;]{0,15}pain|no (?:nausea|vomiting|n\/v|abdominal pain|abd pain|chest pain|cp|dyspnea|sob|headache|hemoptysis|hematuria|fever or|calf pain|diarrhea|BM)|spells?|bradys?|thirst|polyuria|sleepy|somnolent|hungry|hallucinat\w+|sees|nightmare|slept)\b/iu,
  },
  {
    // What a patient complains of, whoever charts it.
    part: 'S',
    weight: 5,
    pattern: /(?<![\p{L}\p{N}])c\/o(?=\s+(?!to\b)\p{L})|\bcomplain(?:s|ed|ing) of\b/iu,
  },
  {
    // A symptom by nature, or that the rhythm changed: an event.
    part: 'S',
    weight: 3.5,
    pattern:
      /\b(?:chills|rigors|palpitations|light-?headed\w*|thirsty|pleuritic|tubed)\b|\b(?:AF|afib|SVT|flutter|NSR|SR|sinus)\s?(?:->|→|to)\s?(?:AF|afib|SVT|flutter|NSR|SR|sinus)\b/iu,
  },
  {
    part: 'A',
    weight: 4,
    pattern: /\b(?:interpreted as|(?:felt|thought|believed) to be)\b/iu,
  },
  {
    // The result of a drug's level, and no level that is aimed at.
    part: 'O',
    weight: 3.5,
    pattern: /\blevels?\s+(?:\S+\s+)?\d+(?:\.\d+)?(?![-/\d:])/iu,
  },
  {
    part: 'P',
    weight: 3.5,
    pattern:
      /\b(?:DN[RI]|CMO|MOLST|POLST)\b|\bSTOP\b|\b(?:lines?|tubes?|drains?|wires?|CTs?|foley|PICC)\b[^.;]{0,12}\bstays?\b/u,
  },
  {
    part: 'A',
    weight: 2.5,
    pattern: DIAGNOSIS,
  },
  {
    part: 'O',
    weight: 2.5,
    pattern:
      /\b(?:culture[sd]?|grew|gram stain|bottles|margin|cytology|pathology|MSSA|MRSA|antigen|swab|HUS|ultrasound|film|radiograph|EGD|bronchoscopy|banding|bands|CIWA|GCS|repeat (?:Hct|K|bili\w*|glucose))\b/iu,
  },
  { part: 'P', weight: 3, pattern: new RegExp(String.raw`^(?:\W|\d+[.)]\s)*(?:${ORDER_VERBS})\b`, 'iu') },
  {
    part: 'P',
    weight: 2,
    pattern:
      /\b(?:recommend(?:s|ed|ations?)?|suggest(?:s|ed)?|plan(?:ned)? (?:for|to|is)|will (?:be|need|follow|start|go|return|have)|to follow|follow-?up|next (?:dose|draw|PTT|check)|goal|target)\b/iu,
  },
  {
    part: 'P',
    weight: 2.5,
    pattern:
      /\b(?:on hold|held|hold|holding|stays off|restart(?:ed)?|resumed?|discontinued|d\/c(?:'d|ed)?|stopped|switched|narrow(?:ed)?|changed to|increased to|reduced to|deferred|continued?|added|replaced?)\b/iu,
  },
  {
    part: 'P',
    weight: 1.5,
    pattern:
      /\b\d[\d.,]*\s*(?:mg|mcg|g|units?|mEq|mL|gm)(?:\/(?:hr|h|kg|day|min))*\b.*\b(?:q ?\d+ ?h|q ?(?:day|hs|am|pm)|daily|BID|TID|QID|qhs|IV|PO|SC|nightly|x ?\d+)\b/iu,
  },
  {
    part: 'P',
    weight: 1,
    pattern: /\b(?:q ?\d+ ?h|BID|TID|QID|discharge|rehab|placement|code status|full code|DNR|HCP)\b/iu,
  },
  {
    // An order after a condition or another one, and what a consultant would do.
    part: 'P',
    weight: 3,
    pattern: new RegExp(
      String.raw`(?:[;,]\s(?:then\s)?|\bif\b[^.;]{1,60},\s(?:then\s)?)(?:start|stop|hold|resume|restart|repeat|give|increase|decrease|check|begin|call|transfuse|continue)\b|\bwould (?:not |avoid |favor |also )?\p{L}+`,
      'iu',
    ),
  },
  {
    // What lies ahead has no past: `bili in am`, `hearing screen before discharge`, `possible home Friday`.
    part: 'P',
    weight: 3,
    pattern:
      /\b(?:in (?:the )?am|before (?:discharge|transfer|going home)|prior to (?:discharge|transfer)|(?:possible|likely|anticipated?|ready for) (?:home|d\/c|discharge|transfer|extubation)|made NPO)\b|^NPO\b/iu,
  },
  {
    // What day of the course it is, and of what: a summary of the case.
    part: 'A',
    weight: 2.5,
    pattern:
      /^\W*(?:\d{1,3}\s?(?:y\/?o|year[- ]old|[MF])\b.{0,30})?\b(?:POD|HD|DOL)\s?#?\d+\b(?!.*\b(?:weight|wt)\b)/iu,
  },
  {
    part: 'S',
    weight: 3.5,
    pattern:
      /\b(?:states|says|said|tells (?:us|me)|worried|anxious about|tearful|hopes|wants|asks|wishes|per (?:wife|husband|family|mother|father|daughter|son|sister|brother))\b/iu,
  },
  {
    part: 'S',
    weight: 2.5,
    pattern:
      /\b(?:c\/o|complain(?:s|ed|ing)?|reports?(?! by)|denie[sd]|denying|states|says|said|feels|felt|asks?|tells|endorses|describes|presents?|presented|brought in|found (?:down|by)|woke|per (?:wife|husband|family|pt|patient|mother|daughter|son))\b/iu,
  },
  {
    part: 'S',
    weight: 2,
    pattern:
      /\b(?:overnight|event|called (?:for|to|at)|called \d|PMH|for (?:two|three|four|five|\d+) days|(?:in|ex)tubated (?:at )?\d|new[- ]onset|pain \d+\/10|(?<![\d/])(?:\d|10)\/10(?![\d/])|slept|no (?:chest pain|dyspnea|nausea|vomiting|fever|headache|hemoptysis|hematuria|melena))\b/iu,
  },
  {
    // What was measured or seen, at the head of the sentence: a result wherever it stands.
    part: 'O',
    weight: 3.5,
    pattern:
      /^(?!.*(?:->|→|[:;,-])\s(?:repeat|start|restart|stop|hold|continue|do not|give|transfuse|recheck|if|replace|replete|no)\b)(?:(?:AM|PM|morning|repeat|latest|last|lab|labs)\s+)*(?:[AV]BG|CXR|EKG|ECG|12-lead|labs?|CBC|chem(?:istry)?|WBC|Hct|Hgb|Plt|Na|K|Cr|creat(?:inine)?|lactate|INR|PTT|bili(?:rubin)?|troponin|CIWA|vitals?|VS|cultures?|gram stain|repeat (?:drawn|view|sample|specimen|\w+ drawn))\b[^.]{0,40}?(?:\d|:)/iu,
  },
  {
    // A report's own recommendation is one.
    part: 'P',
    weight: 9,
    pattern: /\b(?:is|are) (?:recommended|advised)\b|\brecommend(?:s|ed)? (?:CT|MRI|repeat|follow)/iu,
  },
  {
    part: 'A',
    weight: 3,
    pattern: /^A:\s/u,
  },
  {
    part: 'A',
    weight: 4,
    pattern: /^\W*(?:most )?(?:likely|probabl[ey]|suspect(?:ed)?|differential|c\/w|consistent with)\b/iu,
  },
  {
    part: 'P',
    weight: 3.5,
    pattern:
      /\b(?:we|I|patient|pt|she|he) (?:will|plan(?:s|ned)? to|(?:would |have )?(?:recommend|suggest|advise)(?:ed)?)\b/iu,
  },
  {
    part: 'O',
    weight: 2,
    pattern:
      /\b(?:T(?:max|emp)?|HR|BP|SBP|MAP|RR|SpO2|sats?|CVP|WBC|Hct|Hgb|Plt|Na|K|Cl|HCO3|BUN|Cr|creat(?:inine)?|gluc(?:ose)?|lactate|INR|PTT|trop(?:onin)?|bili(?:rubin)?|ALT|AST|ABG|VBG|Mg|Phos|FiO2|PEEP|u\/o|UOP|urine output|weight|Wt|FS|gap|CRP|EF|LVEF|pH)\b[:\s=@]*(?:was|is|of|at|now|up|down|to|from)?\s*[<>~]?\d/u,
  },
  {
    part: 'O',
    weight: 1.5,
    pattern:
      /\b(?:lungs?|breath sounds|abdomen|edema|murmur|rales|crackles|wheez\w+|pupils|alert|oriented|A&O|RASS|GCS|incision|wound|dressing|drain(?:age|ed)?|chest tube|sutures|exam|afebrile|NSR|sinus|vent|CMV|PSV|nasal cannula|room air|RA|culture[sd]?|gram stain|bottles|MRSA|antigen|CXR|CT|MRI|echo|effusion|consolidation|opacit\w+|pneumothorax|QTc|tracing|specimen|hemolyzed)\b/u,
  },
  {
    part: 'A',
    weight: 2,
    pattern:
      /\b(?:likely|probabl[ey]|c\/w|consistent with|due to|secondary to|2\/2|suspect(?:ed)?|in the setting of|etiology|differential|diagnos(?:is|ed)|improving|worsening|resolv(?:ed|ing)|unlikely|risk of|explains?|complicated by|stage \w+|at risk)\b/iu,
  },
  {
    part: 'A',
    weight: 1.5,
    pattern:
      /\b(?:sepsis|septic shock|AKI|ATN|failure|pneumonia|empyema|encephalopathy|withdrawal|delirium|DKA|osteomyelitis|cirrhosis|hemorrhage|malnutrition|dysphagia|injury|fracture|infection|COPD|exacerbation|anemia|hypoxemia|prematurity|apnea of prematurity|syndrome|bacteremia|parapneumonic|laceration)\b/u,
  },
];

/** What a note's type says beforehand. */
export const TYPE_PARTS: Readonly<Partial<Record<NoteType, Readonly<Partial<Record<SoapPart, number>>>>>> = {
  radiology: { O: 5 },
  ecg: { O: 5 },
  echo: { O: 5 },
  general: { O: 1 },
  nursing: { O: 1.5 },
  nursing_other: { O: 1.5 },
  respiratory: { O: 1.5 },
  nutrition: { O: 0.5 },
  rehab_services: { O: 1 },
  pharmacy: { P: 0.7 },
  case_management: { P: 1 },
  social_work: { S: 0.5, P: 0.5 },
};

/** What makes a sentence worth its words, added to its score of retrieval (0 to 1). */
export const PRIORITY_CUES: readonly { readonly weight: number; readonly pattern: RegExp }[] = [
  {
    weight: 0.5,
    pattern:
      /\b(?:septic shock|sepsis|AKI|failure|pneumonia|empyema|encephalopathy|withdrawal|delirium|DTs?|DKA|osteomyelitis|abscess|fractures?|laceration|carcinoma|nodule|bilirubin|bili|spells?|effusion|pneumothorax|consolidation|varices|thrombus|vegetation|erosion|hemorrhage|(?:\d|10)\/10|tip)\b/iu,
  },
  {
    weight: 0.7,
    pattern:
      /\b(?:held|hold|holding|on hold|restart(?:ed)?|resumed?|discontinued?|stopp?(?:ed)?|started?|increased?|decreased|reduced|changed|switched|narrow(?:ed)?|replaces|deferred|tapered?)\b/iu,
  },
  { weight: 0.4, pattern: /\b\d[\d.,]*\s*(?:mg|mcg|g|units?|mEq|gm|L|mL)\b/u },
  {
    weight: 0.5,
    pattern: /\b(?:recommend\w*|suggest\w*|plan|goal|tomorrow|consult|transfer|discharge|surgery|OR)\b/iu,
  },
  {
    weight: 0.5,
    pattern:
      /\b(?:worse\w*|increas\w+|improv\w+|new|resolved|decreas\w+|stable|no longer|unchanged|since)\b/iu,
  },
  { weight: 0.4, pattern: /\b(?:positive|negative|grew|growing|culture|gram stain|no growth|bottles)\b/iu },
  { weight: 0.3, pattern: /\b(?:no|denies|without)\b/iu },
  {
    weight: 0.5,
    pattern:
      /\b(?:intubated|extubated|bleeding|fever|febrile|arrest|seizure|pain|fell|confus\w+|agitat\w+|nausea|dyspnea|desat\w*|apnea|BiPAP|CPAP|nasal cannula|room air)\b/iu,
  },
  {
    weight: 0.3,
    pattern: /\b(?:repeat|corrected|hemolyzed|dilut\w+|mislabel\w*|spurious|contaminat\w+)\b/iu,
  },
];

/** What a progress note can do without. */
export const BOILERPLATE =
  /\b(?:informed by telephone|was informed|informed \d{1,2}:?\d{2}|clinical correlation|value removed|asked to (?:see|assess|evaluate)|please see|electronically signed|dictated|clip #|page \d|pager?|telephone|technique|comparison|projection|worksheet|family history|brother|father|aunt|consent|time ?out|critical care time|interpreter|phone|Height|BSA|test type|technical quality|status: inpatient|visitors?|parking|identity|read back|scanned in|tesla|second opinion|(?:study|exam(?:ination)?) (?:was )?performed|questions? (?:were |was )?answered|(?:as|see) (?:above|outlined|noted above|below|dictated)|all systems (?:were )?(?:checked|reviewed)|negative except|thank you for|very limited)\b|^(?:MRI?|CTA?|US|PET|X-?ray)\b(?:[^\p{L}\d.:]+[\p{L}\d]+){0,6}\.?$/iu;

/** Sections that hold what others have, or that is not the patient's. */
export const SKIPPED_HEADERS =
  /^(?:family history|demographics|technique|comparison|sources?|social history|test information|contraindications|allergies)$/iu;
