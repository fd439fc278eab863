/** The table of section headers: title, level, SOAP part and synonyms, as data; and how a header's words become its key. */

import type { SoapPart } from '../../core/types.js';

export interface HeaderEntry {
  /** Empty where the author's own words say more. */
  readonly title: string;
  /** 1 for a section; 2 for what is a sub-heading inside an examination, a review of systems or a nursing problem. */
  readonly level: 1 | 2;
  readonly soap?: SoapPart;
  /** Level-2 headers that follow are its sub-headings. */
  readonly holdsSystems: boolean;
  /** An examination such as `CXR`: a section of a report, a line of an objective part. */
  readonly isModality: boolean;
  /** The words hardly ever begin a sentence, so that they are a header at a line's start even before running text. */
  readonly isDistinct: boolean;
}

type Row = readonly [title: string, soap: SoapPart | '', distinct: string, ordinary?: string];

/** Sections that hold systems (`HEENT`, `CV`) as sub-headings. Synonyms are separated by `;`. */
// prettier-ignore
const HOLDING_SECTIONS: readonly Row[] = [
  ['Physical Exam', 'O', 'physical exam;physical examination;pe;p/e;phys exam;physical;admission exam;admission physical exam;discharge exam;discharge physical exam;physical exam on admission;exam on admission;focused exam;nnp physical exam;general exam;examination on admission;general physical exam;interval exam;pex;discharge physical examination;admission physical;gen exam;general examination;exam on discharge;pe on admission;focused physical exam;newborn exam;exam findings', 'exam;examination;on exam;on examination;neurologic exam;neurological exam;neurological examination;neuro exam;clinical exam'],
  ['Review of Systems', 'S', 'review of systems;ros;systems review;review of system;pertinent review of systems;ros/interval;24 hr ros', ''],
  ['Objective', 'O', 'objective;objective data;objective findings;obj', 'o'],
  ['Review by Systems', 'O', 'system review;by systems;systems;problem review', ''],
  ['Test Information', 'O', 'patient/test information', ''],
];

// prettier-ignore
const SECTIONS: readonly Row[] = [
  // Subjective
  ['Chief Complaint', 'S', 'chief complaint;cc;c/c;presenting complaint;chief concern;chief complaint/reason for admission', 'complaint;complaints'],
  ['Reason for Visit', 'S', 'reason for visit;reason for admission;reason for consult;reason for consultation;reason for referral;reason for evaluation;reason for icu admission;reason for transfer;reason for follow up;reason for assessment;consult question;reason for request;indication for consult;reason for icu transfer;reason for intubation;reason for call;reason for evaluation;referral reason;referral question;referred for;consult reason', 'question;referral;re;reason;asked to see for;issue'],
  ['History of Present Illness', 'S', 'history of present illness;hpi;history of the present illness;present illness;hopi;history of present condition;hx of present illness;history of presenting illness;interim history;brief history;brief hpi;hpi/24 h;hpi/24 hours;history of present complaint;history present illness;brief history and physical;history/hpi;history and present illness;current history;hpi/interval history;admission summary;history of current illness;history of event;events leading to admission;presentation;ed history', 'history;clinical history;story'],
  ['Interval Events', 'S', '24 hour events;24 h events;24hr events;24 hour event;interval events;overnight events;interval history;events overnight;events of last 24 hours;events past 24 hours;last 24 hours;significant events;shift events;events/24 h;interim events;24 hours events;24-hour events;major events;events last 24 hours;events overnight;interval course;events since last note;since last visit;last 24 h;past 24 hours;24h;24 h;24 hours;24hr;overnight course;day events;night events;events of the day;events of note;course overnight;shift course', 'events;event;overnight;interval;update;shift update;shift summary;since yesterday'],
  ['Subjective', 'S', 'subjective;subj;subjective data;subjective complaints;patient report', 's'],
  ['Past Medical History', 'S', 'past medical history;pmh;pmhx;past history;past medical hx;past med history;medical history;past medical/surgical history;past medical and surgical history;pmh/psh;pmh/fh;prior medical history;significant past medical history;other past medical history;past medical problems;pertinent history;patient history;medical hx;hx;past medical conditions;chronic conditions;past medical history/surgeries/hospitalizations;past hx;significant history;pertinent pmh;past medical and surgical hx;medical/surgical history;pmh/meds;previous medical history', 'comorbidities;medical problems;background'],
  ['Past Surgical History', 'S', 'past surgical history;psh;pshx;surgical history;past surgical hx;prior surgeries;previous surgery;previous operations;prior procedures;past operations;prior operations;previous surgeries', ''],
  ['Medications on Admission', 'S', 'medications on admission;home medications;home meds;home medication;medications at home;meds at home;admission medications;outpatient medications;prior to admission medications;pta meds;current outpatient medications;medications prior to admission;preadmission medications;preoperative medications;home drugs;home medicines;medicines at home;medications at home before admission;outpatient meds;meds on admission;meds prior to admission;preadmission meds;medications before admission;prehospital medications', ''],
  ['Medications', 'S', 'current medications;current meds;meds on transfer;medications on transfer;transfer medications;active medications;inpatient medications;other medications;icu medications;other icu medications;scheduled medications;scheduled meds;prn medications;infusions;last dose of antibiotics;medication reconciliation;current drugs;medication list;iv medications;drips;current medicines;current medication;meds given;medications given;continuous infusions;gtts;meds/drips;active meds;medications in icu;icu meds;anticoagulation', 'medications;meds;medication;antimicrobials;antibiotics;antibiotic;antimicrobial;medicines;pressors;sedation'],
  ['Allergies', 'S', 'allergies;allergy;all;drug allergies;allergies and adverse reactions;allergies/adverse reactions;medication allergies;known allergies;allergies to medications;adverse drug reactions;allergies to medicines;allergies/intolerances;drug intolerance;adr;allergy/adverse reaction', 'sensitivities'],
  ['Family History', 'S', 'family history;fh;fhx;family hx;fam hx;family medical history;fam history', ''],
  ['Social History', 'S', 'social history;sh;shx;social hx;soc hx;psychosocial history;social/family history;social and family history;habits;personal history;occupational history;personal and social history;social habits;substance use;family social history;social and occupational history;occupation;social situation', ''],
  ['Social', 'S', 'psychosocial;social support;family/social;social/family;par;insurance;insurance status;belongings;understanding;family mtg;family meeting;family communication;family update;family/coping;support system;coping;psychosocial/family;family/psychosocial;emotional support;family support;spiritual;family dynamics;family concerns;family present;family contact;support/coping;caregiver;finances;financial;cultural/spiritual;mood/coping;understanding of illness', 'social;family;parents;soc;supports;support;concerns;patient/family;pt/family;family/support;strengths;caregivers'],
  ['', 'S', 'obstetric history;ob history;gynecologic history;menstrual history;birth history;ob/gyn history;maternal history;prenatal history;perinatal history;developmental history;immunizations;immunization history', ''],
  ['', 'S', 'sexual history;substance use history;substance abuse history;psychiatric history;past psychiatric history;tobacco;alcohol history;travel history', ''],
  ['Living Situation', 'S', 'living situation;living environment;home environment;prior level of function;prior functional level;previous level of function;baseline function;prior functional status;plof;home situation;prior living situation;housing;home setup;home set up;premorbid function;prior level of functioning;previous function;functional baseline;equipment at home;home equipment;prior to admission;home support;home services', ''],
  // Objective
  ['Vital Signs', 'O', 'vital signs;vital sign;vitals;vs;v/s;vital signs on admission;admission vitals;physical vitals;vitals signs;vitals on arrival;vital signs on arrival;vitals in ed;hemodynamics/vitals;vs/i&o;vital signs/i&o;vitals at rest', ''],
  ['Data', 'O', 'pertinent results;objective data;laboratory and radiology;labs/radiology;labs/imaging;labs and imaging;labs/studies;labs and studies;pertinent data;diagnostic data;diagnostic studies;pertinent labs;pertinent studies;data review;test results;results review;diagnostics;diagnostic results;other data;objective/data;data reviewed;pertinent findings;labs and data;results to date;relevant data;investigations;labs / data;lab/data;studies/data', 'data;results;result;review;tests;test;studies;study;workup;ancillary data'],
  ['Laboratory Data', 'O', 'laboratory data;laboratory results;laboratory values;lab data;lab results;laboratory studies;laboratory findings;laboratory examination;admission labs;discharge labs;labs on admission;labs on discharge;lab values;pertinent laboratory data;recent labs;chemistry;hematology labs;laboratory;renal function;liver function;laboratories;laboratories on admission;labs today;labs pertinent;labs reviewed;new labs;am labs;admit labs;pertinent labs/studies;nutrition labs;nutritionally pertinent labs;pertinent laboratories;labs/micro;lab review;coagulation;coags;chemistries', 'labs;lab;bloods;blood work'],
  ['', 'O', 'operators;anesthesia type;specimens removed', 'operator;cytology;pathology'],
  ['', 'S', '', 'consent'],
  ['Microbiology', 'O', 'microbiology;micro data;culture data;micro results;culture results;microbiology data;cultures/micro;micro/abx;cultures to date;infection data', 'micro;cultures;culture'],
  ['Body Fluids', 'O', 'pleural fluid;ascitic fluid;peritoneal fluid;joint fluid;synovial fluid;csf;csf studies;pleural fluid studies', ''],
  ['Imaging', 'O', 'renal ultrasound;chest ultrasound;abdominal ultrasound;ruq ultrasound;bladder ultrasound;lung ultrasound;le doppler;lower extremity doppler;bronchoscopy;colonoscopy;endoscopy;imaging;imaging studies;radiology;radiographs;radiologic studies;radiology results;imaging results;radiographic studies;diagnostic imaging;x-rays;cxr;x-ray;xray;echo;ekg;ecg;ct;mri;ekg/ecg;noninvasive studies;imaging data;ct head;ct chest;ct abdomen;ct pelvis;ct scan;ultrasound;chest x-ray;electrocardiogram;echocardiogram;kub;hus;eeg;egd;head ultrasound;ap portable chest;portable chest;cxr/imaging;telemetry', 'imaging;films;tte;tee'],
  ['Findings', 'O', 'operative findings;intraoperative findings;gross description;description of findings;radiographic findings;endoscopic findings;major findings;hemodynamic findings;tube and line findings', 'findings;finding'],
  ['Indication', 'S', 'indication for exam;indication for examination;indications for procedure;indications for surgery;indication for study;underlying medical condition;medical condition;reason for this examination;reason for exam;reason for examination;reason for study;indication for procedure;clinical indication;clinical information;history and indication;admitting diagnosis;clinical history/indication;history/indication;indications for test;indication/history;reason for the test', 'indication;indications'],
  ['Technique', 'O', 'procedure/technique;technical factors;exam technique;contrast;imaging technique', 'technique;method;methods;procedure in detail'],
  ['Comparison', 'O', 'comparison;comparisons;comparison study;prior studies;comparison studies;compared with;comparison exam;comparison examination;comparison films;correlation', ''],
  ['Interpretation', 'A', 'provisional findings impression;pfi;preliminary read;interpretation', ''],
  ['Contraindications', 'O', 'contraindications for iv contrast;no contraindications for iv contrast;contraindications', ''],
  ['Procedure', 'O', 'procedure performed;procedures performed;major surgical or invasive procedure;operation performed;operations performed;title of operation;name of procedure;procedures and immunizations;operative procedure;description of procedure;operation in detail;details of procedure;description of operation;procedure note;operative note;title of procedure;principal procedure;surgical procedure;operative procedures;procedure details;name of operation;operative technique;procedures/tests;procedure done;procedures this admission;procedures during this hospitalization;bedside procedure;procedures/lines;operation/procedure;procedures during hospitalization;interventions/procedures;invasive procedures', 'procedure;procedures;operation;intervention;interventions;surgery;operations'],
  ['Intake and Output', 'O', 'intake and output;i/o;i and o;i&o;ins and outs;intake/output;fluid balance;input/output;24 h i/o', 'intake;output;is/os'],
  ['Hemodynamics', 'O', 'hemodynamic monitoring;hemodynamic response;invasive hemodynamic monitoring;flowsheet data', 'hemodynamics'],
  ['Ventilation', 'O', 'ventilation assessment;respiratory support;vent settings;ventilator settings;ventilator mode;o2 delivery;oxygen delivery;ventilation;mode of ventilation;weaning parameters;airway;airway management;visual assessment of breathing pattern;trigger work assessment;dysynchrony assessment;sbt outcome;rsbi;vent data;vent management;vent changes;ventilator changes;oxygenation;ventilator weaning;weaning;vent/abg;mechanical ventilation;spontaneous breathing trial;respiratory mechanics;o2 therapy;oxygen therapy;nebulizers;bronchodilators;respiratory treatments;resp treatments', 'settings;vent;aerosols;aerosol;ventilator'],
  ['Blood Gases', 'O', 'arterial blood gases;arterial blood gas;abg results;blood gases;blood gas', 'abg;abgs;gas'],
  ['Lung Sounds', 'O', 'lung sounds;breath sounds', ''],
  ['Secretions', 'O', '', 'secretions;sputum;suction'],
  ['Demographics', 'O', 'demographics;patient demographics;demographic data', ''],
  ['Mental Status', 'O', 'mental status;mental status exam;mental status examination;mse;cognition;arousal/attention/cognition;aerobic capacity;arousal;communication/cognition;behavior/mood;orientation;communication/cognition;arousal / attention;attention;alertness;cognitive status;cognitive/linguistic', ''],
  ['Functional Status', 'O', 'functional status;functional mobility;mobility;functional assessment;activities of daily living;adls;rom;range of motion;muscle performance;motor function;current functional status;clarification of weight bearing;transfers/mobility;mobility/transfers;mobility/ambulation;endurance;activity tolerance;exercise tolerance;rehab potential;adl;strength/rom;rom/strength;posture;balance/gait;functional mobility/gait;stairs', 'transfers;bed mobility;gait;balance;ambulation;aerobic;tone;sensation;strength;mobility status;ambulated;stair'],
  ['Swallowing', 'O', 'oral motor exam;oral exam;swallowing assessment;swallow evaluation;bedside swallow evaluation;po trials;bottle trial;feeding trial;oral peripheral exam;swallow function;bedside swallowing evaluation;state/cues;swallow;swallow exam;oral mech exam;oral motor;trials;consistencies trialed;po intake/swallow;pharyngeal phase;oral phase;feeding', 'feeding readiness;po trial'],
  ['Anthropometrics', 'O', 'anthropometrics;anthropometric data;height/weight;ht/wt;wt/bmi;weight history;weight/height', ''],
  ['Diet', 'O', 'diet order;current diet;diet history;current diet order;diet prior to admission;nutrition prescription;tube feeding;current nutrition;nutrition history;current intake;po intake;enteral nutrition;parenteral nutrition;current diet/tf;diet/intake;intake history;nutrition support', 'diet;feeds'],
  ['Lines', 'O', 'lines/tubes/drains;lines and tubes;lines/drains;access;lines and drains;tubes/drains;lines tubes and drains;iv access;lines/access;tubes and drains;invasive lines;access/lines;ivs;lines/ivs;lines/drains/tubes;lines and access;central line', 'lines;drains;tubes'],
  ['Activity', 'O', 'activity order;current activity orders;activity orders;activity level;activity status', 'activity'],
  ['', 'O', 'left ventricle;right ventricle;left atrium;right atrium;left atrium/right atrium;left atrium/right atrium/interatrial septum;right atrium/interatrial septum;aorta;aortic valve;mitral valve;tricuspid valve;pulmonic valve;pulmonic valve/pulmonary artery;pericardium;general comments;situs/veins;atrial septum;ventricles;arteries;interatrial septum;pulmonary artery', 'arteries;ventricles'],
  // Assessment
  ['Assessment and Plan', 'A', 'assessment and plan;a/p;a and p;a&p;ap;assessment/plan;assessment plan;impression and plan;impression/plan;assessment and recommendations;impression and recommendations;impression/recs;assessment/recommendations;a/r;imp/plan;assessment and recs;impression/recommendations;assessment/recs;plan and assessment;summary and plan;problems and plan;assessment & plan;assessment with plan;impression / plan;a&p;assess/plan;assessment/ plan;summary/plan;problems/plan;assessment, plan;assessment and plan by problem;impression/plan/recommendations;a/p by system;assessment / recommendations', ''],
  ['Assessment', 'A', 'assessment;clinical impression;medical decision making;clinical assessment;overall assessment;assessment of nutritional status;summary of assessment;overall impression;clinical summary;global assessment;diagnostic impression;summary impression;assessment/summary;nursing diagnosis;pt diagnosis;clinical assessment;assessment summary;general impression;nutritional status;nutrition risk;nutrition assessment summary;final impression', 'impression;impressions;a;summary;synopsis;formulation;imp;discussion;opinion;conclusion;conclusions;interpretation of results;in summary;interp;dx/impression;bottom line;appraisal'],
  ['Diagnosis', 'A', 'diagnoses;final diagnosis;final diagnoses;discharge diagnosis;discharge diagnoses;admitting diagnoses;admission diagnosis;admission diagnoses;preoperative diagnosis;postoperative diagnosis;pre-operative diagnosis;post-operative diagnosis;principal diagnosis;secondary diagnosis;secondary diagnoses;primary diagnosis;differential diagnosis;medical diagnosis;working diagnosis;preoperative diagnoses;postoperative diagnoses;axis i;axis ii;axis iii;axis iv;axis v;associated diagnosis;nutrition diagnosis;other diagnoses;primary diagnoses;diagnosis at admission;diagnosis on admission;pt diagnosis;medical dx;admitting dx;nutritional diagnosis', 'diagnosis;ddx;dx'],
  ['Problem List', 'A', 'problem list;active problems;problems;active issues;chronic issues;problem;active problem list;acute issues;inactive issues;medical issues;problems addressed;issues addressed;current issues;problems this admission;ongoing issues;current problems;active medical problems', 'issues'],
  ['Hospital Course', 'A', 'hospital course;brief hospital course;course in hospital;hospital course by system;hospital course by problem;summary of hospital course;concise summary of hospital course by issue/system;course;emergency department course;ed course;hospital course and treatment;history of hospital course;icu course;hospital course/treatment;course in ed;clinical course;course in the hospital;hospital course summary;emergency room course;brief hospital course by problem;course to date;brief hospital course summary;hospital course to date', ''],
  ['Condition', 'A', 'discharge condition;condition on discharge;condition at discharge;complications;complication;prognosis;condition;condition upon discharge;condition of patient on discharge;mental status on discharge;status at discharge', ''],
  // Plan
  ['Plan', 'P', 'treatment plan;plan of care;care plan;plan for today;plan of treatment;plan/recommendations;plan and recommendations;recommendations and plan;action plan;plan by problem;disposition and plan;plan by system;plan/goals;follow up plan;plan for the night;pt plan;plan of action;next steps;plan for tonight;plan overnight;plan today;plan for tomorrow;plan/follow up;plan/interventions;plan for shift;plan/dispo;tx plan;plan next 24 hours;goals/plan;poc;overnight plan', 'plan;plans;p;to do'],
  ['Recommendations', 'P', 'recommendations;recs;suggestions;recommendations for team;suggestions/recommendations;recommendations/plan;our recommendations;recs/plan;consult recommendations;recommended;pharmacy recommendations;nutrition recommendations;monitoring;monitoring plan', 'recommendation;recommend;rec;suggest;suggestion;advice'],
  ['Orders', 'P', 'orders;new orders;orders this morning;orders today;order changes;changes;order note;medication changes;verbal orders;orders for tonight;changes to orders;changes made;changes today;med changes', 'order;changes agreed'],
  ['Disposition', 'P', 'disposition;dispo;discharge disposition;discharge plan;discharge planning;anticipated discharge;anticipated discharge plan;disposition plan;discharge needs;anticipated needs;discharge plans;d/c plan;d/c planning;discharge planning needs;anticipated disposition;dispo plan;barriers to discharge;barriers;discharge barriers;services arranged;placement', 'discharge;needs;transportation'],
  ['Discharge Medications', 'P', 'discharge medications;discharge meds;medications on discharge;medications at discharge;discharge medication;meds on discharge', ''],
  ['Discharge Instructions', 'P', 'discharge instructions;instructions;patient instructions;discharge diet;discharge activity;followup instructions;follow up instructions;follow-up instructions;postoperative instructions;instructions to patient;activity on discharge;home instructions;facility;additional instructions;discharge followup;activity instructions', ''],
  ['Follow-up', 'P', 'follow up appointments;follow-up appointments;followup appointments;outpatient follow up;follow up care;discharge follow up;followup care;follow up plan/appointments;appointments', 'follow up;followup;follow-up;f/u'],
  ['Goals', 'P', 'goals;goals of care;short term goals;long term goals;anticipated goals;patient goals;goals of therapy;goal;goals/expectations;patient/family goals;plan/goals of care;treatment goals;short term goals;nutrition goals', ''],
  ['Teaching', 'P', 'patient teaching;patient education;education/teaching;patient/family teaching;learning needs;teaching/education;education provided;family teaching;teaching done;learning assessment', 'teaching;education'],
  ['Nutrition Needs', 'P', 'estimated needs;estimated nutritional needs;estimated nutrition needs;nutritional needs;energy needs;caloric needs', ''],
  ['Code Status', 'P', 'code status;advance directives;code status/goals;resuscitation status;health care proxy;advance directive;advanced directive;goals of care/code status;code status discussion;hcp;proxy', 'code'],
  ['Prophylaxis', 'P', 'prophylaxis;ppx;icu care;glycemic control;stress ulcer;vap;dvt prophylaxis;dvt/gi prophylaxis', 'dvt'],
  ['Communication', 'P', 'communication;communications;contact;contacts;communicated with;notification;mds notified;team communication;accepted by', ''],
  // What frames a note
  ['', '', 'service;attending;attending physician;date of service;date of procedure;date of consultation;date of surgery;date of operation;surgeon;assistant;anesthesia;anesthesiologist;estimated blood loss;ebl;specimens;specimen;drains;consultants;consultations;referring physician;primary care physician;pcp;dictated by;authorized by', ''],
  ['Addendum', '', 'addendum;late entry addendum;attending addendum', ''],
  ['Comments', '', 'comments;additional comments;general comment;remarks;notes;additional information;additional info;addl comments', 'comment;note'],
  ['Sources', '', 'sources;source of information;source;history source;sources of information;information source;sources of history;history obtained from;informant;records reviewed;data source;info source', 'source'],
  ['Assessment (Nursing)', 'O', 'nursing assessment;patient assessment', ''],
  ['Nutrition', 'O', 'nutrition assessment;clinical nutrition assessment;nutritional assessment', 'nutrition'],
  ['Event', 'S', 'icu event', ''],
  ['Treatment', 'P', 'treatment given;treatment provided;treatment/exercise;treatment rendered', 'therapy;treatment;treatments;therapies'],
];

/** Systems and body regions: sub-headings inside an examination, sections in a nursing note that goes by systems. */
// prettier-ignore
const SYSTEMS: readonly Row[] = [
  ['General', 'O', 'gen;gen appearance;general appearance;constitutional;appearance;gen app;general/constitutional;constitution', 'general'],
  ['HEENT', 'O', 'heent;heent/neck;head and neck;eyes/ent;ent;head eyes ears nose and throat;ears nose throat;eyes/conjunctiva;head/neck;heent and neck;enmt;heent exam;ears/nose/throat;eent', 'head;eyes;ears;nose;throat;mouth;face;fontanel;oropharynx;pupils'],
  ['Neck', 'O', '', 'neck'],
  ['Cardiovascular', 'O', 'cv;cvs;cardiovascular;cardiac;cor;cardiovascular system;cv/heme;hemodynamic;cvr;cvs/heme;cv/renal;cv exam;card;cards;cardiovasc;cv/hemodynamics;hemodynamics/cv;cardio;cv status', 'heart;circulation;rhythm'],
  ['Respiratory', 'O', 'resp;respiratory;pulm;pulmonary;respiratory system;respiratory/chest;cv/resp;resp/cv;cardiopulmonary;lungs/chest;chest/lungs;pulm exam;respir;resp/vent;resp status;lungs/resp;pulm/vent;airway/breathing;resp care;resp/airway', 'lungs;lung;chest;thorax;respirations'],
  ['Gastrointestinal', 'O', 'gi;abd;gi/gu;gastrointestinal;gi/abd;gi/nutrition;abd/gi;gi system;gastro;gi/fen;gi/endo;gi status;abdomen/gi;abd exam;gi/liver', 'abdomen;abdominal;bowel;belly'],
  ['Genitourinary', 'O', 'gu;genitourinary;gu/renal;renal/gu;gu/fen;gyn;foley;renal/fen;gu status;urological;gu/repro;renal/metabolic;rectal exam', 'renal;kidneys;genitalia;pelvic;pelvis;urine;rectal;bladder;voiding'],
  ['Extremities', 'O', 'ext;extr;extremities;exts;extrem;extremities/skin;ue;le;lower extremities;upper extremities;msk;musculoskeletal;m/s;mskel;extremities/vascular;le/ue;extremities/msk;musc;muscskel', 'extremity;back;spine;hips;joints;leg;legs;foot;hand;foot care;feet;edema;wrist;ankle;knee;shoulder'],
  ['Neurological', 'O', 'neuro;neurologic;neurological;neurology;cns;neuro/psych;neuro/comfort;neurological system;neuro/pain;neuro status;neuro/pain;neuropsych;neuro/sedation;ms;neurologic exam/mental status;mental;neuro/mental status', 'sensory;reflexes;motor;cranial nerves;cerebellar;coordination;cranial;gait/station'],
  ['Skin', 'O', 'integ;integument;derm;integumentary;skin/wound;wound/skin;skin/incision;skin/integ;wound care;skin integrity;dermatologic;skin/lines;skin/dressing;skin/wounds;wounds/skin;wound/dressing', 'skin;wound;wounds;incision;wound site'],
  ['Psychiatric', 'O', 'psych;psychiatric;mood/affect;psychologic;psychological;psych/social;behavior;psychsocial', 'affect;mood;psych exam'],
  ['Lymphatic', 'O', 'lymph;lymphatic;lymphatics;lymph nodes;nodes', ''],
  ['Vascular', 'O', 'pulses', 'vascular'],
  // Of an endoscopy.
  ['', 'O', 'esophagus;stomach;duodenum;cecum;terminal ileum', 'colon;rectum;antrum;fundus'],
  ['Breasts', 'O', '', 'breasts;breast'],
  ['Endocrine', 'O', 'endo;endocrine;fen;f/e/n;fen/gi;fen/renal;endocrine/metabolic;fluids/electrolytes/nutrition;fe/n;endo/metabolic;metabolic;fen/endo;fluids/electrolytes;lytes;electrolytes;glucose control;fen/lytes;f/e/n/gi;endo/gi', 'nutr'],
  ['Hematology', 'O', 'heme;hematologic;heme/onc;hematology;heme/lymph;heme/coag;hem;hematologic/oncologic;onc;heme/vascular', 'blood;coag'],
  ['Infectious Disease', 'O', 'id;infectious disease;infection;heme/id;id/heme;infectious;infectious diseases;i.d;id/micro;temp/id;id/temp', 'temp;fever;infection control'],
  ['Pain', 'O', 'pain control;pain/comfort;pain management;comfort/safety;pain assessment;pain/sedation;sedation/pain;pain mgmt;comfort/pain;pain/anxiety', 'pain;comfort;analgesia'],
  ['Withdrawal', 'O', 'ciwa', ''],
  ['Bilirubin', 'O', 'bili;hyperbili;hyperbilirubinemia', ''],
  ['Development', 'O', 'dev;g/d;g and d;growth and development;development;dev/family;growth/development;develop;development/comfort;thermoregulation;temp/dev', ''],
  ['Safety', 'O', '', 'safety'],
  ['Access', 'O', 'piv access;vascular access', 'site;sites'],
];

/** Sub-headings of a nursing problem: `Action:` and `Response:` tell that Assessment and Plan beside them are, too. */
export const PROBLEM_STEPS = new Set(['assessment', 'action', 'response', 'plan']);
const STEP_ROWS: readonly Row[] = [
  ['Action', 'O', 'action', ''],
  ['Response', 'O', 'response', ''],
];

/** Which of the synonyms above are examinations. */
const MODALITIES =
  'renal ultrasound;chest ultrasound;abdominal ultrasound;ruq ultrasound;bladder ultrasound;lung ultrasound;le doppler;doppler;lower extremity doppler;bronchoscopy;colonoscopy;endoscopy;cytology;pathology;pleural fluid;ascitic fluid;peritoneal fluid;joint fluid;synovial fluid;csf;csf studies;pleural fluid studies;cxr;x-ray;xray;echo;ekg;ecg;ct;mri;ekg/ecg;ct head;ct chest;ct abdomen;ct pelvis;ct scan;ultrasound;chest x-ray;electrocardiogram;echocardiogram;kub;hus;eeg;egd;tte;tee;telemetry;tests;test';

export const UNLABELED = 'Unlabeled';

const TABLE = buildTable();

function buildTable(): ReadonlyMap<string, HeaderEntry> {
  const table = new Map<string, HeaderEntry>();
  const modalities = new Set(MODALITIES.split(';').map(headerKey));
  const add = (rows: readonly Row[], shape: { level: 1 | 2; holdsSystems: boolean }): void => {
    for (const [title, soap, distinct, ordinary = ''] of rows) {
      for (const [synonyms, isDistinct] of [
        [distinct, true],
        [ordinary, false],
      ] as const) {
        for (const synonym of synonyms.split(';')) {
          const key = headerKey(synonym);
          if (key === '' || table.has(key)) continue;
          table.set(key, {
            title,
            ...shape,
            isDistinct,
            isModality: modalities.has(key),
            ...(soap === '' ? {} : { soap }),
          });
        }
      }
      const key = headerKey(title);
      if (key !== '' && !table.has(key))
        table.set(key, {
          title,
          ...shape,
          isDistinct: distinct !== '',
          isModality: modalities.has(key),
          ...(soap === '' ? {} : { soap }),
        });
    }
  };
  add(HOLDING_SECTIONS, { level: 1, holdsSystems: true });
  add(SECTIONS, { level: 1, holdsSystems: false });
  add(SYSTEMS, { level: 2, holdsSystems: false });
  add(STEP_ROWS, { level: 2, holdsSystems: false });
  return table;
}

/** Words in lower case, without marks, `and` for `&`, no blanks around `/`, no plural s: what the table is asked with. */
export function headerKey(words: string): string {
  return words
    .toLowerCase()
    .replace(/&/gu, ' and ')
    .replace(/[^\p{L}\p{N}/]+/gu, ' ')
    .replace(/\s*\/\s*/gu, '/')
    .trim()
    .replace(/(\p{L}{3,}[^su\s])s\b/gu, '$1');
}

/** Words repeat: most lines begin with one of a few thousand. */
const MAX_REMEMBERED = 20_000;
const remembered = new Map<string, HeaderEntry | undefined>();

/** The entry for a header's words; also where every part of `Neuro / Comfort` or `PMH and FH` is in the table. */
export function findHeaderEntry(words: string): HeaderEntry | undefined {
  const known = remembered.get(words);
  if (known !== undefined || remembered.has(words)) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const entry = lookUpKey(headerKey(words));
  remembered.set(words, entry);
  return entry;
}

function lookUpKey(key: string): HeaderEntry | undefined {
  const entry = TABLE.get(key);
  if (entry !== undefined) return entry;
  const parts = key.split(/\/| and /u);
  if (parts.length < 2 || parts.length > 4 || parts.some((part) => part.length < 2)) return undefined;
  const entries = parts.map((part) => TABLE.get(part));
  const [first] = entries;
  return first !== undefined && entries.every((part) => part !== undefined) ? first : undefined;
}

const FIRST_WORDS = new Set([...TABLE.keys()].map((key) => key.split(/[ /]/u)[0] ?? ''));

/** Longer words begin no header. */
const MAX_WORD = 40;

/** Whether any header of the table begins with this word, or the first part of `Neuro/Comfort`. */
export function beginsHeader(word: string): boolean {
  if (word.length > MAX_WORD) return false;
  return FIRST_WORDS.has(headerKey(word).split(/[ /]/u)[0] ?? '');
}

/** Words that name a whole note, its service, shift or occasion; as its first line they head no section. */
const NOTE_TITLE =
  /^(?:npn|rt|orders?|(?:physical|occupational|speech|respiratory) therapy|(?:nicu |micu )?case management|social work|nutrition|nutrition follow[- ]?up|respiratory care|(?:neonatology |icu )?attending|[\p{L}/ ]{2,30} service)\b.{0,30}$|\b(?:notes?|consult(?:ation)?|follow[- ]?up|evaluation|assessment|review|service|team|care|meeting|report|summary|attending|update|(?:flow )?sheet|callback|result|nights?|days?)$/iu;
/** These do both. */
const ALSO_SECTION =
  /^(?:family (?:meeting|mtg)|(?:clinical |nursing )?assessment|review|hospital course summary|medication reconciliation)$/iu;

export function isNoteTitle(words: string): boolean {
  return NOTE_TITLE.test(words) && !ALSO_SECTION.test(words);
}
